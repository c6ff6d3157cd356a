// The AI SDK with each of its providers, in front of every upstream protocol.
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import {
  APICallError,
  generateText,
  isStepCount,
  jsonSchema,
  type LanguageModel,
  Output,
  streamText,
  tool,
} from 'ai'
import { describe, test } from 'vitest'
import { targets } from '../../agents/targets.ts'
import { checks, type Library, type Stage } from '../../support/clients/library-tasks.ts'
import { weatherParameters } from '../../support/generated/weather.ts'
import { testKey } from '../../support/start.ts'

type Models = (stage: Stage) => LanguageModel

const settings = ({ gateway }: Stage, path: string) => ({
  apiKey: testKey,
  baseURL: gateway.url + path,
})

const providers: Readonly<Record<string, Models>> = {
  'openai, chat': (stage) => createOpenAI(settings(stage, '/v1')).chat(stage.model),
  'openai, Responses': (stage) => createOpenAI(settings(stage, '/v1')).responses(stage.model),
  anthropic: (stage) => createAnthropic(settings(stage, '/v1'))(stage.model),
  google: (stage) => createGoogle(settings(stage, '/v1beta'))(stage.model),
}

function aiSdk(name: string, modelOf: Models): Library {
  const asked = (stage: Stage) => ({
    model: modelOf(stage),
    maxRetries: 0,
    maxOutputTokens: 4000,
    prompt: 'How is the weather, and what time is it?',
  })
  return {
    name,
    plain: async (stage) => (await generateText(asked(stage))).text,
    async streamed(stage) {
      let text = ''
      for await (const piece of streamText(asked(stage)).textStream) text += piece
      return text
    },
    async loop(stage) {
      const called: unknown[] = []
      const noting = (given: string) => async (input: unknown) => {
        called.push(input)
        return given
      }
      const parameters = { ...weatherParameters, required: ['place'] }
      const { text } = await generateText({
        ...asked(stage),
        stopWhen: isStepCount(5),
        // An upstream of Responses' own would be asked to remember, which the fake one does not.
        providerOptions: { openai: { store: !stage.model.endsWith('-codex') } },
        tools: {
          get_weather: tool({ inputSchema: jsonSchema(parameters), execute: noting('7°') }),
          now: tool({
            inputSchema: jsonSchema({ type: 'object', properties: {} }),
            execute: noting('noon'),
          }),
        },
      })
      return { text, called }
    },
    async object(stage) {
      const schema = jsonSchema({
        type: 'object',
        properties: { place: { type: 'string' } },
        required: ['place'],
        additionalProperties: false,
      })
      return (await generateText({ ...asked(stage), output: Output.object({ schema }) })).output
    },
    async picture(stage, base64) {
      const { prompt, ...rest } = asked(stage)
      const content = [
        { type: 'text', text: prompt },
        { type: 'file', mediaType: 'image/png', data: base64 },
      ] as const
      return (await generateText({ ...rest, messages: [{ role: 'user', content: [...content] }] }))
        .text
    },
    statusOf: (error) => (APICallError.isInstance(error) ? error.statusCode : error),
  }
}

describe.each(Object.entries(providers))('%s', (name, modelOf) => {
  const library = aiSdk(name, modelOf)
  describe.each(targets.filter(({ upstream }) => upstream))('in front of $name', (target) => {
    test.each(Object.keys(checks))('%s', (check) => checks[check]!(library, target))
  })
})
