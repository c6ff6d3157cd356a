import type { Script } from './scripted-models.ts'

/** An integer that a double cannot hold, quotes, and characters of two, three and four bytes. */
export const weatherInput = '{"place":"Zürich \\"Nord\\" 東京 🗼","station":9007199254740993}'

/** Calls two tools at once, one of them without arguments, then answers. */
export const weather: Script = (rounds) =>
  rounds === 0
    ? {
        thinking: 'Two questions, two calls.',
        text: 'Let me look.',
        calls: [
          ['get_weather', weatherInput],
          ['now', '{}'],
        ],
      }
    : { thinking: 'Both are back.', text: 'Zürich has 7°, and it is noon 🕛.' }

export const weatherParameters = {
  type: 'object',
  properties: { place: { type: 'string' }, station: { type: 'integer' } },
  required: ['place'],
  additionalProperties: false,
} as const
