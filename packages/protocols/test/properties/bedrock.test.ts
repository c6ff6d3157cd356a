import fc from 'fast-check'
import { expect, it } from 'vitest'
import { codecContext, received } from '../../../../test/support/codec-context.ts'
import { converseFrames } from '../../../../test/support/fakes/aws-frames.ts'
import { answerOf } from '../../../../test/support/formats/chat-answer.ts'
import { readStream } from '../../../../test/support/formats/read-stream.ts'
import {
  conversation,
  pieces,
  shownText,
  streamedAnswer,
} from '../../../../test/support/generated/arbitrary-chat.ts'
import type { Message } from '../../../contract/src/operations/chat-message.ts'
import type { ChatRequest } from '../../../contract/src/operations/chat-request.ts'
import { createAwsEventSplitter } from '../../../contract/src/wire/aws-event-stream.ts'
import { formatJson, parseJson } from '../../../contract/src/wire/json.ts'
import { bedrock } from '../../src/bedrock/index.ts'
import '../../../../test/support/property-limits.ts'

const chat = bedrock.codecs.chat!
const model = 'anthropic.claude-sonnet-4-5-20250929-v1:0'
const media = new Map([
  ['https://example.com/a.png', { bytes: new Uint8Array([1, 2]), contentType: 'image/png' }],
])
const context = () => codecContext({ model, media })
const asked: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'x' }] }

/** One thing that a conversation says; a conversation means what it says, in order. */
type Fact = readonly string[]
/** The members of Converse's content block that the codec writes. */
interface Block {
  readonly text?: string
  readonly toolUse?: { readonly toolUseId: string; readonly name: string; readonly input: unknown }
  readonly toolResult?: {
    readonly toolUseId: string
    readonly content: readonly { text: string }[]
  }
  readonly image?: { readonly source: { readonly bytes: string } }
  readonly document?: { readonly source: { readonly bytes: string } }
  readonly reasoningContent?: {
    readonly reasoningText?: { readonly text: string; readonly signature: string }
    readonly redactedContent?: string
  }
}

const said = (role: string, text: string): Fact[] => (text.trim() === '' ? [] : [[role, text]])
const sameJson = (text: string) => formatJson(parseJson(text))
const base64Of = (url: string) => (url.startsWith('data:') ? url.split(',')[1]! : 'AQI=')

/** False for the text that stands where Converse wants one and nobody said anything. */
const isSaid = ([role, text]: Fact): boolean => role !== 'user' || text !== '.'

function factsOfMessage({ role, content, ...message }: Message, opening: boolean): Fact[] {
  const parts =
    typeof content === 'string' ? [{ type: 'text' as const, text: content }] : (content ?? [])
  const texts = parts.map((part) => part.text ?? '')
  if (role === 'tool')
    return [['result', message.tool_call_id!, ...texts.filter((text) => text.trim() !== '')]]
  if (role === 'system' || role === 'developer')
    return texts.flatMap((text) =>
      opening
        ? said('system', text)
        : text.trim() === ''
          ? []
          : [['user', `<system>\n${text}\n</system>`]],
    )
  return [
    ...(message.thinking_blocks ?? []).flatMap((block): Fact[] => {
      if (block.type === 'thinking') return [['thinking', block.thinking!, block.signature!]]
      return block.type === 'redacted_thinking' ? [['redacted', block.data!]] : []
    }),
    ...parts.flatMap((part): Fact[] => {
      if (part.image_url) return [['image', base64Of(part.image_url.url)]]
      return part.file
        ? [['document', base64Of(part.file.file_data!)]]
        : said(role, part.text ?? '')
    }),
    ...(message.tool_calls ?? []).map(
      (call): Fact => [
        'call',
        call.id,
        (call.function ?? call.custom)!.name,
        call.custom ? formatJson({ input: call.custom.input }) : sameJson(call.function!.arguments),
      ],
    ),
  ]
}

function factsOfBlock(role: string, block: Block): Fact[] {
  const { text, toolUse, toolResult, reasoningContent: reasoning, image, document } = block
  if (text !== undefined) return [[role, text]]
  if (toolUse) return [['call', toolUse.toolUseId, toolUse.name, formatJson(toolUse.input)]]
  if (toolResult)
    return [['result', toolResult.toolUseId, ...toolResult.content.map((part) => part.text)]]
  if (image) return [['image', image.source.bytes]]
  if (document) return [['document', document.source.bytes]]
  const { text: thought, signature } = reasoning?.reasoningText ?? {}
  return thought === undefined
    ? [['redacted', reasoning!.redactedContent!]]
    : [['thinking', thought, signature!]]
}

it('property: a conversation keeps its meaning and order in Converse', () => {
  fc.assert(
    fc.property(conversation, (messages) => {
      const { body } = chat.encode({ model: 'm', messages }, context())
      if (body?.kind !== 'json') throw new Error('No JSON')
      const { system = [], messages: turns } = parseJson(formatJson(body.value)) as {
        system?: Block[]
        messages: { role: string; content: Block[] }[]
      }
      const opening = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
      const sent = [
        ...system.flatMap((block) => factsOfBlock('system', block)),
        ...turns.flatMap(({ role, content }) =>
          content.flatMap((block) => factsOfBlock(role, block)),
        ),
      ]
      const expected = messages.flatMap((message, index) =>
        factsOfMessage(message, index < opening),
      )
      expect(sent.filter(isSaid)).toEqual(expected.filter(isSaid))
      expect(
        turns.every(({ role }, index) => role === (index % 2 === 0 ? 'user' : 'assistant')),
      ).toBe(true)
    }),
  )
})

const line = (name: string, value: object) => JSON.stringify({ [name]: value })

it('property: an answer reads the same whole and in frames split anywhere', () => {
  const withPieces = streamedAnswer.chain((answer) =>
    fc
      .tuple(
        pieces(answer.text),
        fc.tuple(...answer.calls.map(({ input }) => pieces(input))),
        fc.integer({ min: 1, max: 40 }),
      )
      .map(([texts, inputs, size]) => ({ answer, texts, inputs, size })),
  )
  fc.assert(
    fc.property(withPieces, ({ answer, texts, inputs, size }) => {
      const blocks = answer.blocks.filter(({ type }) => type !== 'reasoning')
      const reasoning = shownText(blocks).replaceAll('\n\n', '')
      const stopReason = answer.finish === 'length' ? 'max_tokens' : 'tool_use'
      const delta = (index: number, value: object) =>
        line('contentBlockDelta', { contentBlockIndex: index, delta: value })
      const stop = (index: number) => line('contentBlockStop', { contentBlockIndex: index })
      const start = blocks.length + 1
      const frames = converseFrames([
        line('messageStart', { role: 'assistant' }),
        ...blocks.flatMap(({ thinking, signature, data }, index) => [
          ...(data === undefined
            ? [
                delta(index, { reasoningContent: { text: thinking } }),
                delta(index, { reasoningContent: { signature } }),
              ]
            : [delta(index, { reasoningContent: { redactedContent: data } })]),
          stop(index),
        ]),
        ...texts.map((text) => delta(blocks.length, { text })),
        ...answer.calls.flatMap(({ id, name }, index) => [
          line('contentBlockStart', {
            contentBlockIndex: start + index,
            start: { toolUse: { toolUseId: id, name } },
          }),
          ...inputs[index]!.map((input) => delta(start + index, { toolUse: { input } })),
          stop(start + index),
        ]),
        line('messageStop', { stopReason }),
        line('metadata', { usage: { inputTokens: 1, outputTokens: 2 } }),
      ])
      const splitter = createAwsEventSplitter()
      const events = []
      for (let at = 0; at < frames.length; at += size)
        events.push(...splitter.push(frames.subarray(at, at + size)))
      const { steps, usage } = readStream(chat.stream!, {
        events,
        context: context(),
        request: asked,
      })
      const streamed = answerOf(steps)
      expect(streamed).toMatchObject({
        text: answer.text,
        calls: answer.calls,
        finish: answer.finish,
      })
      expect(streamed.reasoning.replaceAll('\n\n', '')).toBe(reasoning)
      expect(streamed.blocks).toEqual(blocks)
      expect(usage).toEqual({ inputTokens: 1, outputTokens: 2 })

      const content = [
        ...blocks.map(({ thinking, signature, data }) => ({
          reasoningContent:
            data === undefined
              ? { reasoningText: { text: thinking, signature } }
              : { redactedContent: data },
        })),
        ...(answer.text === '' ? [] : [{ text: answer.text }]),
        ...answer.calls.map(({ id, name, input }) => ({
          toolUse: { toolUseId: id, name, input: parseJson(input) },
        })),
      ]
      const whole = chat.decode(
        received(formatJson({ output: { message: { content } }, stopReason })),
        context(),
        asked,
      )
      const { message, finish_reason: finish } = whole.reply.choices[0]!
      expect({
        text: message.content ?? '',
        finish,
        blocks: message.thinking_blocks ?? [],
      }).toEqual({
        text: answer.text,
        finish: answer.finish,
        blocks,
      })
      expect((message.tool_calls ?? []).map((call) => call.function!.arguments)).toEqual(
        answer.calls.map(({ input }) => sameJson(input)),
      )
    }),
  )
})
