// What models of a family reject, or accept only in another form: every rule through every client format, passed on
// and translated, in every mode. The fake upstreams reject what the APIs do.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chatOnly } from '../../support/clients/client-formats.ts'
import { brokenMessagesRule } from '../../support/fakes/anthropic-rules.ts'
import {
  answerMessage,
  anthropicMessage,
  refuseMessage,
  textBlock,
} from '../../support/fakes/anthropic-wire.ts'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
  json,
} from '../../support/fakes/fake-upstream.ts'
import { brokenContentRule } from '../../support/fakes/gemini-rules.ts'
import { answerContent } from '../../support/fakes/gemini-wire.ts'
import { brokenChatRule } from '../../support/fakes/openai-rules.ts'
import { answerCompletion } from '../../support/fakes/openai-wire.ts'
import { brokenResponsesRule } from '../../support/fakes/responses-rules.ts'
import { answerResponse, messageItem } from '../../support/fakes/responses-wire.ts'
import { type Started, start } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>

/** The models of the families' tables, by the upstreams that have them. */
const models = {
  openai: [
    'o1',
    'o1-mini',
    'o3',
    'o4-mini',
    'gpt-5',
    'gpt-5-mini',
    'gpt-5-pro',
    'gpt-5-codex',
    'gpt-5-chat-latest',
    'gpt-4.1',
    'gpt-4o',
    'gpt-3.5-turbo',
    'some-model',
  ],
  // The same without the Responses API.
  'openai-chat': ['o3', 'o1-mini', 'gpt-5', 'gpt-4.1', 'some-model'],
  'openai-responses': ['o3', 'gpt-5', 'gpt-4.1', 'some-model'],
  anthropic: [
    'claude-3-5-haiku-20241022',
    'claude-sonnet-4-20250514',
    'claude-opus-4-1',
    'claude-sonnet-4-5',
    'claude-opus-4-5',
    'claude-opus-4-6',
    'claude-opus-4-8',
    'claude-sonnet-5-5',
    'claude-opus-5-5',
    'some-model',
  ],
  gemini: [
    'gemini-2.0-flash',
    'gemini-2.5-flash',
    'gemini-2.5-pro',
    'gemini-3-pro-preview',
    'some-model',
  ],
} as const

type Type = keyof typeof models

function refuseError(response: Parameters<Answering>[1], message: string): void {
  const error = { message, type: 'invalid_request_error', param: null, code: null }
  json(response, { error }, { status: 400 })
}

const chats: Answering = (seen, response) => {
  const broken = isUnknown(seen.body['model']) ? undefined : brokenChatRule(seen.body)
  return broken === undefined
    ? answerCompletion(seen, response, { text: 'Hello' })
    : refuseError(response, broken)
}

const responds: Answering = (seen, response) => {
  const { model } = seen.body
  const broken = isUnknown(model) ? undefined : brokenResponsesRule(seen.body, new Set())
  return broken === undefined
    ? answerResponse(seen, response, [messageItem('Hello')])
    : refuseError(response, broken)
}

const strict: Readonly<Record<Type, Answering>> = {
  openai: (seen, response, request) =>
    (seen.path.endsWith('/responses') ? responds : chats)(seen, response, request),
  'openai-chat': chatOnly(chats),
  'openai-responses': responds,
  anthropic(seen, response) {
    const broken = isUnknown(seen.body['model'])
      ? undefined
      : brokenMessagesRule(seen.body, new Map())
    return broken === undefined
      ? answerMessage(seen, response, anthropicMessage([textBlock('Hello')]))
      : refuseMessage(response, broken)
  },
  gemini(seen, response) {
    const model = /models\/([^:]+)/.exec(seen.path)?.[1] ?? ''
    const broken = isUnknown(model) ? undefined : brokenContentRule(seen.body, new Map(), model)
    return broken === undefined
      ? answerContent(seen, response, [{ text: 'Hello' }])
      : json(
          response,
          { error: { code: 400, message: broken, status: 'INVALID_ARGUMENT' } },
          { status: 400 },
        )
  },
}

const isUnknown = (model: unknown) => model === 'some-model'

interface Face {
  readonly path: (model: string) => string
  readonly prompt: (model: string) => Fields
  /** What is asked of the model, and the field that stands for each. */
  readonly asked: Readonly<Record<string, readonly [field: string, fields: Fields]>>
}

const messages = [{ role: 'user', content: 'Hi' }]
const function_ = { name: 'f', description: 'F.', parameters: { type: 'object', properties: {} } }

const faces: Readonly<Record<string, Face>> = {
  chat: {
    path: () => '/v1/chat/completions',
    prompt: (model) => ({ model, messages }),
    asked: {
      temperature: ['temperature', { temperature: 0.5 }],
      'high temperature': ['temperature', { temperature: 1.5 }],
      'top p': ['top_p', { top_p: 0.9 }],
      both: ['temperature|top_p', { temperature: 0.5, top_p: 0.9 }],
      penalties: ['presence_penalty', { presence_penalty: 0.5, frequency_penalty: 0.25 }],
      'low effort': ['reasoning_effort', { reasoning_effort: 'low' }],
      'minimal effort': ['reasoning_effort', { reasoning_effort: 'minimal' }],
      'most effort': ['reasoning_effort', { reasoning_effort: 'xhigh' }],
      'no effort': ['reasoning_effort', { reasoning_effort: 'none' }],
      verbosity: ['verbosity', { verbosity: 'low' }],
      probabilities: ['logprobs', { logprobs: true }],
      bias: ['logit_bias', { logit_bias: { '1': 1 } }],
      'one call at a time': [
        'parallel_tool_calls',
        { tools: [{ type: 'function', function: function_ }], parallel_tool_calls: false },
      ],
      'long ids': [
        'user|prompt_cache_key',
        { user: 'u'.repeat(99), prompt_cache_key: 'k'.repeat(99) },
      ],
      notes: ['metadata', { metadata: { a: 'b' } }],
      'a stop word': ['stop', { stop: 'END' }],
      'blank stop words': ['stop', { stop: ['\n', 'END'] }],
      'many stop words': ['stop', { stop: ['1', '2', '3', '4', '5', '6'] }],
      'an older limit': ['max_tokens', { max_tokens: 999 }],
      'a long call id': [
        'messages',
        {
          tools: [{ type: 'function', function: function_ }],
          messages: [
            ...messages,
            {
              role: 'assistant',
              content: null,
              tool_calls: [
                { id: 'c'.repeat(60), type: 'function', function: { name: 'f', arguments: '{}' } },
              ],
            },
            { role: 'tool', tool_call_id: 'c'.repeat(60), content: '1' },
          ],
        },
      ],
      'a long tool name': [
        'tools',
        { tools: [{ type: 'function', function: { ...function_, name: 'f'.repeat(80) } }] },
      ],
      'a last message of the model': [
        'messages',
        { messages: [...messages, { role: 'assistant', content: 'A' }] },
      ],
    },
  },
  messages: {
    path: () => '/v1/messages',
    prompt: (model) => ({ model, messages, max_tokens: 4000 }),
    asked: {
      temperature: ['temperature', { temperature: 0.5 }],
      'top p': ['top_p', { top_p: 0.9 }],
      both: ['temperature|top_p', { temperature: 0.5, top_p: 0.9 }],
      'top k': ['top_k', { top_k: 5 }],
      budget: ['thinking', { thinking: { type: 'enabled', budget_tokens: 2000 } }],
      'adaptive thinking': ['thinking', { thinking: { type: 'adaptive' } }],
      'no thinking': ['thinking', { thinking: { type: 'disabled' } }],
      effort: ['output_config.effort', { output_config: { effort: 'high' } }],
      'more effort': ['output_config.effort', { output_config: { effort: 'xhigh' } }],
      'blank stop words': ['stop_sequences', { stop_sequences: ['\n\n', 'END'] }],
      'many stop words': ['stop_sequences', { stop_sequences: ['1', '2', '3', '4', '5', '6'] }],
      'a forced call': [
        'tool_choice',
        {
          tools: [{ name: 'f', input_schema: { type: 'object', properties: {} } }],
          tool_choice: { type: 'any' },
        },
      ],
      'a schema': [
        'output_config.format',
        {
          output_config: {
            format: {
              type: 'json_schema',
              schema: { type: 'object', properties: {}, additionalProperties: false },
            },
          },
        },
      ],
      'a last message of the model': [
        'messages',
        { messages: [...messages, { role: 'assistant', content: 'A' }] },
      ],
    },
  },
  responses: {
    path: () => '/v1/responses',
    prompt: (model) => ({ model, input: 'Hi', store: false }),
    asked: {
      temperature: ['temperature', { temperature: 0.5 }],
      'top p': ['top_p', { top_p: 0.9 }],
      effort: ['reasoning.effort', { reasoning: { effort: 'low' } }],
      'minimal effort': ['reasoning.effort', { reasoning: { effort: 'minimal' } }],
      'no effort': ['reasoning.effort', { reasoning: { effort: 'none' } }],
      summaries: ['reasoning', { reasoning: { effort: 'low', summary: 'auto' } }],
      'encrypted reasoning': ['include', { include: ['reasoning.encrypted_content'] }],
      verbosity: ['text.verbosity', { text: { verbosity: 'low' } }],
      'long ids': ['user', { user: 'u'.repeat(99) }],
    },
  },
  generateContent: {
    path: (model) => `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
    prompt: () => ({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }),
    asked: {
      temperature: ['generationConfig.temperature', { generationConfig: { temperature: 0.5 } }],
      penalties: [
        'generationConfig.presencePenalty',
        { generationConfig: { presencePenalty: 0.5, frequencyPenalty: 0.5 } },
      ],
      'a level': [
        'generationConfig.thinkingConfig',
        { generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } } },
      ],
      'a small level': [
        'generationConfig.thinkingConfig',
        { generationConfig: { thinkingConfig: { thinkingLevel: 'MINIMAL' } } },
      ],
      'a budget': [
        'generationConfig.thinkingConfig',
        { generationConfig: { thinkingConfig: { thinkingBudget: 2000 } } },
      ],
      'no budget': [
        'generationConfig.thinkingConfig',
        { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
      ],
      'stop words': [
        'generationConfig.stopSequences',
        { generationConfig: { stopSequences: ['\n', 'END', '1', '2', '3'] } },
      ],
    },
  },
}

let gateway: Started
const upstreams = new Map<Type, FakeUpstream>()
beforeAll(async () => {
  const providers: NonNullable<Parameters<typeof start>[0]>['providers'] = {}
  for (const type of Object.keys(models) as Type[]) {
    const upstream = await fakeUpstream(strict[type])
    upstreams.set(type, upstream)
    const protocol = type === 'openai-chat' ? 'openai' : type
    providers[type] = { type: protocol, baseUrl: upstream.url, key: 'k' }
  }
  gateway = await start({ providers, defaults: { retries: { attempts: 1 } } })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  for (const upstream of upstreams.values()) await upstream[Symbol.asyncDispose]()
})

const targets = (Object.keys(models) as Type[]).flatMap((type) =>
  models[type].map((model) => `${type}/${model}`),
)
const modes = ['refuse', 'hints', 'report'] as const

describe.each(Object.keys(faces))('requests in %s keep the rules of model families', (name) => {
  const face = faces[name]!
  test.each(targets)('for %s', async (target) => {
    const wrong: string[] = []
    for (const [what, asked] of Object.entries(face.asked)) {
      const told = await Promise.all(modes.map((mode) => outcomeOf(face, target, { asked, mode })))
      const problem = problemIn(told, asked[0])
      if (problem !== undefined) wrong.push(`${what}: ${problem}`)
    }
    expect(wrong).toEqual([])
  })
})

interface Outcome {
  readonly status: number
  readonly dropped: string | null
  readonly text: string
}

async function outcomeOf(
  face: Face,
  target: string,
  {
    asked: [, fields],
    mode,
  }: { readonly asked: Face['asked'][string]; readonly mode: (typeof modes)[number] },
): Promise<Outcome> {
  const response = await gateway.post(
    face.path(target),
    { ...face.prompt(target), ...fields },
    { headers: { 'x-sluice-unsupported': mode } },
  )
  const dropped = response.headers.get('x-sluice-dropped')
  return { status: response.status, dropped, text: await response.text() }
}

/** What the gateway refuses where nothing may be left out, it names elsewhere, and an upstream refuses nothing. */
function problemIn([refuse, hints, report]: readonly Outcome[], field: string): string | undefined {
  const named = new RegExp(field.replaceAll('.', '\\.'))
  for (const { status, text } of [refuse!, hints!, report!])
    if (status !== 200 && !/ is not supported by /.test(text)) return `not by the gateway: ${text}`
  if (report!.status !== 200) return `refused though it may be left out: ${report!.text}`
  if (refuse!.status !== 200 && !named.test(refuse!.text)) return `not named: ${refuse!.text}`
  if (hints!.status !== 200 && !named.test(hints!.text)) return `not named: ${hints!.text}`
  const dropped = report!.dropped ?? ''
  if (refuse!.status === 200 && dropped !== '') return `left out though it is taken: ${dropped}`
  if (refuse!.status !== 200 && !named.test(dropped)) return `left out and not named: ${dropped}`
  return hints!.status === 200 && hints!.dropped !== report!.dropped ? 'named otherwise' : undefined
}
