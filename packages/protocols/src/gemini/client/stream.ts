import {
  type ChatChunk,
  createJsonArrayWriter,
  type Fields,
  type FinishReason,
  formatEvent,
  formatJson,
  keepAliveComment,
  keepAliveSpace,
  type ServerToolCall,
  type Step,
  type ThinkingBlock,
  type Usage,
} from '@sluice/contract'
import { assertBounded } from '../../bounded.ts'
import { nameUnread } from '../../citations.ts'
import type { FormatContext, StreamWriter } from '../../client-format.ts'
import { isServerSent, type Part } from '../generate-content.ts'
import { groundingMetadata } from '../grounding.ts'
import { serverMetadata, serverParts } from '../server-tools.ts'
import { formatUsage } from '../usage.ts'
import { wantsThoughts } from './config.ts'
import { StreamedValues, wantsEnum } from './enum-answer.ts'
import { geminiError } from './error.ts'
import { closingParts, finishFields, imageParts, logprobsResult, soundPart } from './parts.ts'
import { StreamedCalls } from './streamed-calls.ts'

/** How fragments are written: as server-sent events with `alt=sse`, otherwise as the elements of a JSON array. */
interface Framing {
  readonly contentType: string
  readonly keepAlive: string
  fragment(value: unknown): string
  end(): string
  passed(): void
}

function serverSent(): Framing {
  return {
    contentType: 'text/event-stream',
    keepAlive: keepAliveComment,
    fragment: (value) => formatEvent({ event: '', data: formatJson(value) }),
    end: () => '',
    passed: () => undefined,
  }
}

function jsonArray(): Framing {
  const writer = createJsonArrayWriter()
  return {
    contentType: 'application/json',
    keepAlive: keepAliveSpace,
    fragment: (value) => writer.element(formatJson(value)),
    end: () => writer.end(),
    passed: () => writer.passed(),
  }
}

type Reports = Pick<FormatContext, 'leftOut'>
type ChunkChoice = ChatChunk['choices'][number]

/** The state of one of the response's candidates, with what must be held back. */
interface Candidate {
  readonly index: number
  readonly calls: StreamedCalls
  readonly blocks: ThinkingBlock[]
  readonly annotations: Fields[]
  readonly serverCalls: ServerToolCall[]
  /** The text so far. Citations refer to positions in it. */
  text: string
  finish: FinishReason | undefined
  closing: ReturnType<typeof closingParts> | undefined
}

/** The state of one stream being written. */
interface Writing {
  readonly framing: Framing
  readonly reports: Reports
  readonly thoughts: boolean
  readonly candidates: Map<number, Candidate>
  /** Only if the response is one of the values of an enumeration. */
  readonly values: StreamedValues | undefined
  head: { readonly modelVersion: string; readonly responseId: string } | undefined
  usage: Usage | undefined
}

/**
 * Every fragment is a complete GenerateContentResponse whose parts are the new content. Calls are written only when they are
 * complete.
 */
export function createChatWriter(
  request: unknown,
  query: string,
  reports: Reports,
): StreamWriter<'chat'> {
  const framing = isServerSent(query) ? serverSent() : jsonArray()
  const writing: Writing = {
    framing,
    reports,
    thoughts: wantsThoughts(request),
    candidates: new Map(),
    values: wantsEnum(request) ? new StreamedValues() : undefined,
    head: undefined,
    usage: undefined,
  }
  return {
    contentType: framing.contentType,
    keepAlive: framing.keepAlive,
    write: (step) => write(writing, step),
    end: () => end(writing),
    fail: (error) => framing.fragment(geminiError(error, '')) + framing.end(),
    passed: () => framing.passed(),
  }
}

function write(writing: Writing, step: Step<ChatChunk>): string {
  if (!('event' in step)) {
    writing.usage = step.usage
    return ''
  }
  const { model, id, choices } = writing.values?.read(step.event) ?? step.event
  writing.head ??= { modelVersion: model, responseId: id }
  const candidates = choices.flatMap((choice) => candidatesOf(writing, choice))
  return candidates.length === 0 ? '' : fragmentOf(writing, { candidates })
}

/** The finish reasons and the usage come last, together. */
function end(writing: Writing): string {
  const values = writing.values?.rest()
  const candidates = [...writing.candidates.values()].map((candidate) =>
    lastCandidate(candidate, values?.get(candidate.index) ?? '', writing.reports),
  )
  const usage = writing.usage === undefined ? {} : { usageMetadata: formatUsage(writing.usage) }
  return fragmentOf(writing, { candidates, ...usage }) + writing.framing.end()
}

function fragmentOf(writing: Writing, fields: Fields): string {
  return writing.framing.fragment({ ...fields, ...writing.head })
}

function candidatesOf(writing: Writing, choice: ChunkChoice): readonly Fields[] {
  const { index, finish_reason: reason } = choice
  const candidate = writing.candidates.get(index) ?? newCandidate(index)
  writing.candidates.set(index, candidate)
  const before = choice.delta.content || choice.delta.refusal ? callsSoFar(candidate) : []
  const parts = [...before, ...partsOf(writing, choice, candidate)]
  if (reason !== null) {
    candidate.finish = reason
    candidate.closing = closingOf(candidate)
    parts.push(...candidate.closing.earlier, ...candidate.closing.calls)
  }
  const logprobs = logprobsResult(choice.logprobs)
  if (parts.length === 0 && logprobs === undefined) return []
  return [
    {
      content: { role: 'model', parts: parts.length === 0 ? [{ text: '' }] : parts },
      index,
      ...(logprobs === undefined ? {} : { logprobsResult: logprobs }),
    },
  ]
}

function partsOf(writing: Writing, { delta }: ChunkChoice, candidate: Candidate): readonly Part[] {
  const text = (delta.content ?? '') + (delta.refusal ?? '')
  const reasoning = writing.thoughts ? (delta.reasoning_content ?? '') : ''
  const sound = delta.audio?.['data']
  candidate.text += text
  candidate.blocks.push(...(delta.thinking_blocks ?? []))
  candidate.annotations.push(...(delta.annotations ?? []))
  assertBounded(candidate.annotations.length, 'citations')
  candidate.serverCalls.push(...(delta.server_tool_calls ?? []))
  for (const piece of delta.tool_calls ?? []) candidate.calls.add(piece)
  return [
    ...(reasoning === '' ? [] : [{ text: reasoning, thought: true }]),
    ...(text === '' ? [] : [{ text }]),
    ...imageParts(delta.images),
    ...serverParts(delta.server_tool_calls ?? []),
    ...(typeof sound === 'string' ? [soundPart(sound)] : []),
  ]
}

/** The calls that come before a text. If one of them is incomplete, they wait until the end. */
function callsSoFar(candidate: Candidate): readonly Part[] {
  const { calls, blocks } = candidate
  if (!calls.areWhole()) return []
  const { earlier, textSignature: signature, calls: parts } = closingOf(candidate)
  calls.clear()
  blocks.length = 0
  const signed = signature === undefined ? [] : [{ text: '', thoughtSignature: signature }]
  return [...earlier, ...signed, ...parts]
}

function newCandidate(index: number): Candidate {
  return {
    index,
    calls: new StreamedCalls(),
    blocks: [],
    annotations: [],
    serverCalls: [],
    text: '',
    finish: undefined,
    closing: undefined,
  }
}

function closingOf({ calls, blocks }: Candidate): ReturnType<typeof closingParts> {
  return closingParts({ calls: calls.all(), blocks })
}

/** If no finish reason came before, the parts that waited for one are written here, and a value that did. */
function lastCandidate(candidate: Candidate, value: string, reports: Reports): Fields {
  const { index, finish, annotations, serverCalls, text } = candidate
  const closing = candidate.closing ?? closingOf(candidate)
  const signature = closing.textSignature
  nameUnread(annotations, reports)
  const waiting = candidate.closing === undefined ? [...closing.earlier, ...closing.calls] : []
  return {
    content: {
      role: 'model',
      parts: [
        ...waiting,
        { text: value, ...(signature === undefined ? {} : { thoughtSignature: signature }) },
      ],
    },
    ...(finish === undefined ? {} : finishFields(finish, closing.malformed)),
    index,
    ...serverMetadata(serverCalls, groundingMetadata(annotations, text), reports),
  }
}
