import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { Check } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { endsWithin } from '../../../test/support/property-limits.ts'
import { GatewayError } from '../../contract/src/core/errors.ts'
import { type ChatReply, chat as chatOperation } from '../../contract/src/operations/chat.ts'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'
import {
  type CompleteRequest,
  complete as completeOperation,
} from '../../contract/src/operations/complete.ts'
import { chat } from '../src/chat/chat.ts'
import { complete } from '../src/complete/complete.ts'
import { engineContext } from './support/engine-context.ts'

const runs = { numRuns: 150, ...endsWithin(110_000) }
const slowMs = 5000

const words = [
  'what is the sort count summarize replace with weather in Paris and Rome reply say 12 + 7',
  '% of ( ) " : ? . , reverse uppercase who name my Ada json keys days between 2024-01-01',
  'convert miles to km extract emails a@b.co http://x.y ``` <a> </a> { } Q: A: = x classify',
  'positive or negative repeat three times 1e999 - ∞ 中文 😀 constructor __proto__ toString',
].flatMap((line) => line.split(' '))

/** Words that wake the skills, punctuation that confuses them, and anything at all. */
const word = fc.oneof(
  fc.constantFrom(...words, "'", '\n\n', '- ', '\ud800', '\u0000'),
  fc.string({ maxLength: 12, unit: 'binary' }),
)
const prose = fc.array(word, { maxLength: 25 }).map((words) => words.join(' '))

const scalarSchema = fc.oneof(
  fc.record(
    {
      type: fc.constant('string'),
      minLength: fc.nat(5),
      format: fc.constantFrom('date', 'email', 'uuid', 'unknown', 'date-time'),
    },
    { requiredKeys: ['type'] },
  ),
  fc.record({
    type: fc.constant('string'),
    pattern: fc.constantFrom('^[a-z]+$', '^(a+)+$', '\\d{3}', '[', '(?<x>a)\\k<x>', '^.{2,4}$'),
  }),
  fc.record(
    {
      type: fc.constantFrom('integer', 'number'),
      minimum: fc.integer({ min: -9, max: 9 }),
      multipleOf: fc.constantFrom(1, 0.5, 3),
    },
    { requiredKeys: ['type'] },
  ),
  fc.record({ type: fc.constant('boolean') }),
  fc.record({
    enum: fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), {
      minLength: 1,
      maxLength: 4,
    }),
  }),
  fc.record({ const: fc.jsonValue({ maxDepth: 1 }) }),
  fc.constantFrom(
    {},
    true,
    { type: ['string', 'null'] },
    { $ref: '#' },
    { $ref: '#/nowhere' },
    { type: 'null' },
  ),
)
const propertyName = fc.constantFrom(
  'name',
  'city',
  'location',
  'age',
  'date',
  'items',
  'query',
  'to',
  'email',
  'answer',
  'steps',
  '__proto__',
  'constructor',
  'a b',
  '',
)

const { schema } = fc.letrec<{ schema: Record<string, unknown> | boolean }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalarSchema,
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(propertyName, tie('schema'), { maxKeys: 4 }),
        required: fc.array(propertyName, { maxLength: 3 }),
        additionalProperties: fc.boolean(),
      },
      { requiredKeys: ['type', 'properties'] },
    ),
    fc.record(
      {
        type: fc.constant('array'),
        items: tie('schema'),
        minItems: fc.nat(3),
        uniqueItems: fc.boolean(),
      },
      { requiredKeys: ['type', 'items'] },
    ),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record(
      { allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }), not: tie('schema') },
      { requiredKeys: ['allOf'] },
    ),
  ),
}))

const tool = fc.record({
  type: fc.constant('function' as const),
  function: fc.record(
    {
      name: fc.constantFrom('get_weather', 'search', 'add', 'x'),
      description: prose,
      parameters: schema.filter((value) => typeof value === 'object'),
    },
    { requiredKeys: ['name'] },
  ),
})

const maybe = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.option(values, { nil: null })
const sampling = {
  temperature: maybe(fc.double({ min: 0, max: 2, noNaN: true })),
  top_p: maybe(fc.double({ min: 0, max: 1, noNaN: true })),
  n: maybe(fc.integer({ min: 1, max: 4 })),
  seed: maybe(fc.maxSafeInteger()),
  stop: maybe(fc.array(fc.string({ maxLength: 3 }), { maxLength: 4 })),
  presence_penalty: maybe(fc.double({ min: -2, max: 2, noNaN: true })),
  logit_bias: maybe(
    fc.dictionary(
      fc.constantFrom('1', '791', '999999', 'abc', ''),
      fc.integer({ min: -100, max: 100 }),
    ),
  ),
}

const limit = maybe(fc.integer({ min: 1, max: 40 }))

const message = fc.oneof(
  fc.record({
    role: fc.constantFrom(
      'system' as const,
      'user' as const,
      'assistant' as const,
      'developer' as const,
    ),
    content: prose,
  }),
  fc.record({
    role: fc.constant('user' as const),
    content: fc.array(fc.record({ type: fc.constant('text' as const), text: prose }), {
      minLength: 1,
      maxLength: 2,
    }),
  }),
)

const request: fc.Arbitrary<ChatRequest> = fc.record(
  {
    model: fc.constant('builtin-chat'),
    messages: fc.array(message, { minLength: 1, maxLength: 4 }),
    ...sampling,
    max_completion_tokens: limit,
    logprobs: fc.constant(true),
    top_logprobs: fc.integer({ min: 0, max: 20 }),
    tools: fc.array(tool, { minLength: 1, maxLength: 3 }),
    tool_choice: fc.constantFrom('auto' as const, 'required' as const, 'none' as const),
    parallel_tool_calls: fc.boolean(),
    response_format: fc.oneof(
      fc.constant({ type: 'json_object' as const }),
      fc.record({
        type: fc.constant('json_schema' as const),
        json_schema: fc.record({
          name: fc.constant('x'),
          schema: schema.filter((value) => typeof value === 'object'),
        }),
      }),
    ),
    reasoning_effort: fc.constantFrom('low' as const, 'none' as const, 'high' as const),
    stream: fc.boolean(),
  },
  { requiredKeys: ['model', 'messages'] },
) as fc.Arbitrary<ChatRequest>

/** Only mistakes of the caller are refused, and nothing is slow; undefined for a refusal. */
async function within<T>(work: () => Promise<T>): Promise<T | undefined> {
  // What this thread computed, which does not grow while others have the processor.
  const began = process.threadCpuUsage()
  const result = await work().catch((thrown: unknown) => {
    if (thrown instanceof GatewayError && thrown.blame === 'caller') return undefined
    throw thrown
  })
  const { user, system } = process.threadCpuUsage(began)
  expect((user + system) / 1000, 'milliseconds of computing').toBeLessThan(slowMs)
  return result
}

function checkReply(reply: ChatReply, asked: ChatRequest): void {
  expect(Check(chatOperation.reply, reply)).toBe(true)
  expect(reply.choices.map((choice) => choice.index)).toEqual(
    Array.from({ length: asked.n ?? 1 }, (_, index) => index),
  )
  expect(reply.usage.total_tokens).toBe(reply.usage.prompt_tokens + reply.usage.completion_tokens)
  for (const { message: answer, finish_reason: finish, logprobs } of reply.choices) {
    for (const call of answer.tool_calls ?? [])
      if (finish === 'tool_calls') JSON.parse(call.function?.arguments ?? '')
    for (const token of logprobs?.content ?? []) expect(token.logprob).toBeLessThanOrEqual(0)
    if (asked.stop == null && finish === 'stop' && asked.response_format?.type === 'json_schema')
      JSON.parse(answer.content ?? '')
  }
}

describe('property: any valid request', () => {
  it('to chat is answered in the contract’s format or rejected as invalid', async () => {
    let answered = 0
    await fc.assert(
      fc.asyncProperty(request, async (asked) => {
        fc.pre(Check(chatOperation.request, asked))
        const result = await within(() => chat(asked, engineContext()))
        if (result !== undefined) answered += 1
        if (result?.kind === 'reply') checkReply(result.reply, asked)
        if (result?.kind === 'events')
          for await (const step of result.events)
            if ('event' in step) expect(Check(chatOperation.event, step.event)).toBe(true)
      }),
      runs,
    )
    expect(answered).toBeGreaterThan(runs.numRuns / 2)
  }, 120_000)

  it('to complete is answered in the contract’s format', async () => {
    const asking: fc.Arbitrary<CompleteRequest> = fc.record(
      {
        model: fc.constant('builtin-chat'),
        prompt: fc.oneof(
          prose,
          fc.array(prose, { minLength: 1, maxLength: 3 }),
          fc.array(fc.integer({ min: 0, max: 100_300 }), { minLength: 1, maxLength: 4 }),
        ),
        ...sampling,
        max_tokens: limit,
        suffix: prose,
        echo: fc.boolean(),
        logprobs: fc.integer({ min: 0, max: 5 }),
        stream: fc.boolean(),
      },
      { requiredKeys: ['model', 'prompt'] },
    ) as fc.Arbitrary<CompleteRequest>
    let answered = 0
    await fc.assert(
      fc.asyncProperty(asking, async (asked) => {
        fc.pre(Check(completeOperation.request, asked))
        const result = await within(() => complete(asked, engineContext()))
        if (result !== undefined) answered += 1
        if (result?.kind === 'reply') {
          expect(Check(completeOperation.reply, result.reply)).toBe(true)
          for (const choice of result.reply.choices)
            if (choice.logprobs !== null) expect(choice.logprobs.tokens.join('')).toBe(choice.text)
        }
        if (result?.kind === 'events')
          for await (const step of result.events)
            if ('event' in step) expect(Check(completeOperation.event, step.event)).toBe(true)
      }),
      runs,
    )
    expect(answered).toBeGreaterThan(runs.numRuns / 2)
  }, 120_000)

  it('gets arguments and values that match its schema', async () => {
    // Until it finds all errors, Ajv overlooks a required property whose name is empty.
    const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false })
    formats.default(ajv)
    const validator = (declared: object) => {
      try {
        const validate = ajv.compile(declared)
        // It calls `valueOf` and `toString` of what it compares, and cannot say anything of data with such names.
        return /"(?:valueOf|toString)":/.test(JSON.stringify(declared)) ? undefined : validate
      } catch {
        return undefined
      }
    }
    let valid = 0
    await fc.assert(
      fc.asyncProperty(
        schema.filter((value) => typeof value === 'object'),
        prose,
        async (declared, content) => {
          const validate = typeof declared === 'object' ? validator(declared) : undefined
          fc.pre(
            validate !== undefined &&
              typeof declared === 'object' &&
              !JSON.stringify(declared).includes('$ref'),
          )
          const result = await within(() =>
            chat(
              {
                model: 'm',
                messages: [{ role: 'user', content }],
                response_format: {
                  type: 'json_schema',
                  json_schema: { name: 'x', schema: declared as Record<string, unknown> },
                },
              },
              engineContext(),
            ),
          )
          if (result?.kind !== 'reply' || validate === undefined) return
          const value: unknown = JSON.parse(result.reply.choices[0]?.message.content ?? '')
          expect(
            validate(value),
            JSON.stringify({ declared, value, errors: validate.errors }),
          ).toBe(true)
          valid += 1
        },
      ),
      runs,
    )
    expect(valid).toBeGreaterThan(runs.numRuns / 2)
  }, 120_000)
})
