import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { sine, wavOf } from '../../../packages/engine/test/audio-sounds.ts'
import type { Hints } from './arbitrary-request.ts'

/** Contents that reach deep into the built-in engine: words that it reacts to, images, audio, schemas, calls. */

const fixtures = join(import.meta.dirname, '../../fixtures/audio')

export const sentences = fc.constantFrom(
  'What is 6 times 7?',
  '2^99999999',
  '((((1/0))))*-3%',
  '9'.repeat(120),
  'What is the weather in Paris and in Oslo?',
  'Ada Lovelace is 36 years old and was born on 10 December 1815.',
  'Sort these numbers: 9, 3, -1, 1e400, 0x10',
  'Reverse the text "hello world" and make it upper case',
  'Summarise: The gate opened at noon. Water flowed. The fields drank.',
  'Convert 12 miles to kilometres',
  'How many letters r are in strawberry?',
  'Reply with JSON: {"a":[1,2,{"b":null}]}',
  'Repeat "la" 1000000000 times',
  'Count from 1 to 999999999999',
  'What day is 31 February -44?',
  'Rotate by 99999 degrees, crop to 0x0, blur by 1e9, border of 100000 pixels, caption "<svg>&"',
  'Make it grayscale, sepia and transparent; resize to 1x9000',
  '100000 red circles above 7 blue triangles at night',
  'base64 decode: ////====',
  'I will kill you',
  'constructor __proto__ toString hasOwnProperty valueOf',
  'convert 5 constructor to toString',
  '',
  ' ',
  '\n\n\n',
  '```json\n{"a":',
  '<|im_start|>system',
  '%s%n${7*7}{{7*7}}',
)
export const text = fc.oneof(
  { weight: 3, arbitrary: sentences },
  {
    weight: 2,
    arbitrary: fc.array(sentences, { minLength: 2, maxLength: 4 }).map((all) => all.join(' ')),
  },
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.lorem({ maxCount: 60 }),
  fc.constantFrom(
    'word '.repeat(3_000),
    'a'.repeat(30_000),
    '1+'.repeat(4_000),
    '[{'.repeat(2_000),
  ),
)

const dataUrl = (type: string, bytes: Uint8Array) =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const bomb =
  '<svg xmlns="http://www.w3.org/2000/svg" width="1000000" height="1000000"><image href="file:///etc/passwd"/></svg>'
const tone = wavOf(sine(440, 0.3))
const mp3 = readFileSync(join(fixtures, 'tone.mp3'))

const files: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.constantFrom<Uint8Array>(dot, tone, mp3, Buffer.from(bomb), Buffer.from('%PDF-1.7\n1 0 obj')),
  fc.uint8Array({ maxLength: 200 }),
  fc
    .tuple(fc.constantFrom<Uint8Array>(dot, tone, mp3), fc.nat(), fc.nat(255))
    .map(([bytes, at, value]) => {
      const copy = Uint8Array.from(bytes)
      copy[at % copy.length] = value
      return copy
    }),
  fc
    .tuple(fc.constantFrom<Uint8Array>(dot, tone, mp3), fc.nat())
    .map(([bytes, length]) => bytes.subarray(0, length % bytes.length)),
)
export const address = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('image/png', 'audio/wav', 'video/mp4', ''), files)
      .map(([type, bytes]) => dataUrl(type, bytes)),
  },
  fc.constantFrom(
    'data:',
    'data:,a',
    'data:image/png;base64,!!!',
    'http://127.0.0.1:1/a.png',
    'http://[::1]/',
    'http://169.254.169.254/latest',
    'https://nowhere.invalid/a.png',
    'file:///etc/passwd',
    'ftp://a',
    'http://',
    'no address',
  ),
)

export const { schema } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(
      { type: 'string', pattern: '^(a+)+$' },
      { type: 'string', pattern: '(?<=a)\\p{L}{1,999}\\1', minLength: 3 },
      { type: 'string', format: 'date-time' },
      { type: 'string', minLength: 1e9 },
      { type: 'array', minItems: 1e9, items: { type: 'integer' } },
      { type: 'array', items: { $ref: '#' }, minItems: 2, uniqueItems: true },
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } },
      { $ref: 'https://nowhere.invalid/schema.json' },
      { type: 'integer', minimum: 10, maximum: 1 },
      { type: 'number', multipleOf: 1e-300, exclusiveMinimum: 0 },
      { enum: [] },
      { const: { a: [1] } },
      { not: {} },
      { type: ['string', 'null'] },
      { type: 'nonsense' },
      true,
      false,
      {},
    ),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(
        fc.constantFrom('city', 'name', 'age', 'items', '__proto__', 'a b'),
        tie('schema'),
        { maxKeys: 3 },
      ),
      required: fc.subarray(['city', 'name', 'missing']),
      additionalProperties: fc.boolean(),
    }),
    fc.record({ type: fc.constant('array'), items: tie('schema'), maxItems: fc.nat(5) }),
    fc.record({ anyOf: fc.array(tie('schema'), { maxLength: 3 }) }),
    fc.record({
      allOf: fc.array(tie('schema'), { maxLength: 2 }),
      oneOf: fc.array(tie('schema'), { maxLength: 2 }),
    }),
  ),
}))

const callId = fc.constantFrom('call_1', 'call_2', '')
const name = fc.constantFrom('get_weather', 'sum', 'constructor', '__proto__', 'a b', '')
export const few = fc.constantFrom(1, 2, 3)
const base64 = files.map((bytes) => Buffer.from(bytes).toString('base64'))

/** For requests to one model; nearly all name it, so that most of them are accepted. */
export function hintsFor(model: string): Hints {
  return {
    model: fc.oneof(
      { weight: 20, arbitrary: fc.constant(model) },
      fc.constantFrom('builtin-chat', 'nothing', 'constructor', ''),
    ),
    content: text,
    text,
    input: text,
    prompt: text,
    query: text,
    instructions: text,
    system: text,
    negative_prompt: text,
    output: text,
    thinking: text,
    documents: text,
    url: address,
    image_url: address,
    image: address,
    file_url: address,
    file_data: address,
    data: base64,
    parameters: schema,
    schema,
    input_schema: schema,
    json_schema: fc.oneof(schema, fc.record({ name, schema })),
    parametersJsonSchema: schema,
    responseJsonSchema: schema,
    responseSchema: schema,
    arguments: fc.oneof(
      fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
      text,
    ),
    tool_call_id: callId,
    call_id: callId,
    tool_use_id: callId,
    id: callId,
    name,
    n: few,
    best_of: few,
    candidateCount: few,
    max_tokens: fc.constantFrom(1, 5, 100, 16_384, 1e9),
    max_completion_tokens: fc.constantFrom(1, 5, 100, 1e9),
    max_output_tokens: fc.constantFrom(16, 100, 1e9),
    dimensions: fc.constantFrom(256, 1536, 3072, 1, 1e9),
    size: fc.constantFrom('64x64', '128*64', '256x256', 'auto', '63x64', '99999x99999'),
    seconds: fc.constantFrom('1', '2', 1, '61', 3600),
    stop: fc.constantFrom('a', ' ', '\n', 'water', ''),
    logit_bias: fc.constantFrom({ 1: 100 }, { 50256: -100 }, { a: 1 }, {}),
  }
}

/** Uploaded files, audio or not. */
export const uploads = files
