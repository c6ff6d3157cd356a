import type { Script } from '../fakes/scripted-models.ts'

/** An integer that a double cannot hold, quotes, and characters of two, three and four bytes. */
export const weatherInput = '{"place":"Zürich \\"Nord\\" 東京 🗼","station":9007199254740993}'

/** The same with an integer that SDKs which parse the arguments can reproduce. */
export const smallWeatherInput = weatherInput.replace('9007199254740993', '6660')

/** Makes two calls at once, one of them without arguments, then responds with text. */
const weatherOf =
  (input: string): Script =>
  (rounds) =>
    rounds === 0
      ? {
          thinking: 'Two questions, two calls.',
          text: 'Let me look.',
          calls: [
            ['get_weather', input],
            ['now', '{}'],
          ],
        }
      : { thinking: 'Both are back.', text: 'Zürich has 7°, and it is noon 🕛.' }

export const weather: Script = weatherOf(weatherInput)
export const smallWeather: Script = weatherOf(smallWeatherInput)

export const weatherParameters = {
  type: 'object',
  properties: { place: { type: 'string' }, station: { type: 'integer' } },
  required: ['place'],
  additionalProperties: false,
} as const
