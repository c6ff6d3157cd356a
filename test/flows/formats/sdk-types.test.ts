// Everything written for a client matches the types of its SDK, with nothing beyond them.
import { expect, test } from 'vitest'
import { ask, chatOnly, type Face, faces } from '../../support/clients/client-formats.ts'
import { type Typed, typeErrors } from '../../support/clients/types/check-types.ts'
import { richAnswers } from '../../support/clients/types/rich-answers.ts'
import { type Answering, json, sse } from '../../support/fakes/fake-upstream.ts'
import { documentsIn } from '../../support/formats/citations-in.ts'
import { recordedLines, recording, testRecording } from '../../support/formats/recordings.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

type Upstream = keyof typeof richAnswers

const upstreams = Object.keys(richAnswers) as Upstream[]

/** The format that passes an upstream's bytes on unchanged. */
const native: Readonly<Partial<Record<Upstream, Face>>> = {
  anthropic: 'messages',
  gemini: 'generateContent',
  'openai-responses': 'responses',
}

/** How a caller asks for reasoning. */
const asking: Readonly<Record<Face, Readonly<Record<string, unknown>>>> = {
  chat: { reasoning_effort: 'low' },
  messages: { thinking: { type: 'adaptive' } },
  responses: {
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
  },
  generateContent: { generationConfig: { thinkingConfig: { includeThoughts: true } } },
}

const readers: Readonly<Record<Face, readonly [whole: readonly string[], event: string]>> = {
  chat: [['ChatAnswer', 'LangChainAnswer'], 'ChatEvent'],
  messages: [['MessageAnswer'], 'MessageEvent'],
  responses: [['ResponseAnswer'], 'ResponseEvent'],
  generateContent: [['ContentAnswer'], 'ContentEvent'],
}

/** Each document of a response, with every type that a client reads it as. */
function typedIn(
  wire: string,
  { face, stream, name }: { readonly face: Face; readonly stream: boolean; readonly name: string },
): readonly Typed[] {
  const [whole, event] = readers[face]
  const types = stream ? [event] : whole
  return documentsIn(wire, stream).flatMap((document) =>
    types.map((type) => ({ type, name, document })),
  )
}

async function writtenBy(
  upstream: Upstream,
  answers: Readonly<Record<string, Answering>> = richAnswers[upstream],
): Promise<readonly Typed[]> {
  const written: Typed[] = []
  for (const [name, answering] of Object.entries(answers)) {
    await using pair = await inFrontOf(
      upstream,
      upstream === 'openai' ? chatOnly(answering) : answering,
    )
    for (const face of faces.filter((each) => each !== native[upstream]))
      for (const stream of [false, true])
        for (const further of [{}, asking[face]]) {
          const { wire, status } = await ask(pair, face, { stream, further })
          const place = `${name} of ${upstream}`
          expect(status, `${place}, ${face}: ${wire}`).toBe(200)
          written.push(...typedIn(wire, { face, stream, name: place }))
        }
  }
  return written
}

test('every response and event matches the SDK’s types', async () => {
  const written = (await Promise.all(upstreams.map((upstream) => writtenBy(upstream)))).flat()
  expect(written.length).toBeGreaterThan(500)
  expect([...new Set(await typeErrors(written))]).toEqual([])
}, 120_000)

/** A recorded response of Google's, whole or streamed. */
const recordedBy =
  (name: string): Answering =>
  (seen, response) =>
    seen.path.includes(':stream')
      ? sse(
          response,
          recordedLines(`google/${name}.chunks.txt`).map((line) => `data: ${line}\n\n`),
        )
      : json(response, JSON.parse(recording(`google/${name}.json`)) as object)

testRecording('a recorded response of Gemini 3 has the types of its clients', async () => {
  const names = ['google-reasoning-gemini3', 'google-tool-call-gemini3', 'google-text']
  const answers = Object.fromEntries(names.map((name) => [name, recordedBy(name)]))
  const written = await writtenBy('gemini', answers)
  expect(JSON.stringify(written)).toContain('"extra_content":{"google":{"thought_signature":')
  expect(await typeErrors(written)).toEqual([])
})

test('detects values outside the SDK’s types', async () => {
  const envelope = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
  const chunk = (delta: object) => ({
    ...envelope,
    choices: [{ index: 0, delta, finish_reason: null, logprobs: null }],
  })
  const begun = (content_block: object) => ({
    type: 'content_block_start',
    index: 0,
    content_block,
  })
  const added = (item: object) => ({
    type: 'response.output_item.done',
    output_index: 0,
    sequence_number: 0,
    item,
  })
  const part = (fields: object) => ({
    candidates: [{ content: { role: 'model', parts: [fields] }, index: 0 }],
  })
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] }
  const own: readonly (readonly [type: string, document: object])[] = [
    ['ChatEvent', chunk({ thinking_blocks: [{ type: 'thought', signature: 'c2ln' }] })],
    ['ChatEvent', chunk({ thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', place: 1 }] })],
    ['ChatEvent', chunk({ annotations: [{ type: 'file_citation', file_citation: {} }] })],
    ['ChatEvent', chunk({ extra_content: { ai_sdk: {} } })],
    ['ChatEvent', chunk({ images: [{ type: 'image_url', image_url: { url: 'x' } }] })],
    ['ChatEvent', chunk({ text_places: [] })],
    ['MessageEvent', begun({ type: 'thought', data: 'c2ln' })],
    ['MessageEvent', begun({ type: 'text', text: '', place: 1 })],
    ['ResponseEvent', added({ ...reasoning, place: 1 })],
    ['ResponseEvent', added({ ...reasoning, type: 'thought' })],
    ['ContentEvent', part({ text: 'Hm.', place: 1 })],
  ]
  const fine: typeof own = [
    ['ChatEvent', chunk({ content: 'Hi' })],
    ['MessageEvent', begun({ type: 'text', text: '' })],
    ['ResponseEvent', added(reasoning)],
    ['ContentEvent', part({ text: 'Hm.', thoughtSignature: 'c2ln' })],
  ]
  const errors = await typeErrors(
    [...own, ...fine].map(([type, document], at) => ({ type, name: `${at}:`, document })),
  )
  expect(new Set(errors.map((error) => Number.parseInt(error)))).toEqual(new Set(own.keys()))
}, 60_000)
