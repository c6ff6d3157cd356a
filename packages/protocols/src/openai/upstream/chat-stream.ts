import {
  type ChatChunk,
  type ChatDelta,
  type ChoiceLogprobs,
  countOf,
  type Fields,
  isObject,
  listOf,
  objectOf,
  type ServerSentEvent,
  someText,
  type Step,
  textOf,
  type ThinkingBlock,
  type ToolCallDelta,
} from '@sluice/contract'
import { assertBounded, boundedList } from '../../bounded.ts'
import { shiftedAnnotation } from '../../citations.ts'
import type { CodecContext, StreamReader } from '../../protocol.ts'
import { eventObject } from '../../read-json.ts'
import { usageIn } from '../../usage.ts'
import { addDetail, detailsBlock, isThinkingBlock, readState } from '../message-state.ts'
import { createdOf, givenAnnotations, imagesOf, serverCallsOf, tierOf } from './chat-reply.ts'
import { logprobsOf, mayCite, readAnnotations, readContent, readReasoning } from './content.ts'
import { ExecutedTools } from './executed-tools.ts'
import { finishReasonOf } from './finish-reasons.ts'
import { ToolCallSlots } from './tool-call-slots.ts'

type ChatStep = Step<ChatChunk>
type Envelope = Omit<ChatChunk, 'choices'>

interface ChoiceState {
  readonly slots: ToolCallSlots
  /** OpenRouter's details, collected until something else arrives. */
  readonly details: Fields[]
  readonly signed: SignedBlocks
  /** Characters of text so far. Citations refer to positions in it. */
  length: number
  finished: boolean
}

/** The state of one stream being read. */
interface Reading {
  readonly context: CodecContext
  readonly choices: Map<number, ChoiceState>
  envelope: Envelope | undefined
  cited: boolean
  readonly executed: ExecutedTools
}

/** Reads the chunks of OpenAI and of compatible upstreams into OpenAI's own chunks. */
export function createChatReader(context: CodecContext): StreamReader<'chat'> {
  const reading: Reading = {
    context,
    choices: new Map(),
    envelope: undefined,
    cited: false,
    executed: new ExecutedTools(),
  }
  return { read: (event) => read(reading, event), end: () => [] }
}

function read(reading: Reading, event: ServerSentEvent): readonly ChatStep[] {
  const chunk = eventObject(event)
  if (chunk === undefined) return []
  const steps: ChatStep[] = []
  const choices = boundedList(chunk['choices'], 'choices').filter(isObject)
  // The usage comes before the content that it includes, so that writers can tell it with the first.
  const usage = usageIn(chunk)
  reading.executed.see(choices)
  if (usage !== undefined) steps.push({ usage: reading.executed.in(usage) })
  for (const choice of choices) readChoice(reading, choice, chunk, steps)
  // xAI's come in a last chunk without a choice.
  if (choices.length === 0 && reading.choices.has(0)) readSources(reading, chunk, steps)
  return steps
}

function readSources(reading: Reading, chunk: Fields, steps: ChatStep[]): void {
  const annotations = annotationsOf(reading, {}, chunk)
  if (annotations.length === 0) return
  const choices = [{ index: 0, delta: { annotations }, finish_reason: null, logprobs: null }]
  steps.push({ event: { ...envelopeOf(reading, chunk), choices } })
}

function readChoice(reading: Reading, choice: Fields, chunk: Fields, steps: ChatStep[]): void {
  const index = countOf(choice['index']) ?? 0
  const envelope = envelopeOf(reading, chunk)
  const tell = (delta: ChatDelta, logprobs: ChoiceLogprobs | null = null): void => {
    steps.push(stepOf(envelope, { index, delta, finish_reason: null, logprobs }))
  }
  let state = reading.choices.get(index)
  if (state === undefined) {
    state = {
      slots: new ToolCallSlots(() => reading.context.newId('call_')),
      details: [],
      signed: new SignedBlocks(),
      length: 0,
      finished: false,
    }
    reading.choices.set(index, state)
    assertBounded(reading.choices.size, 'choices')
    tell({ role: 'assistant', content: '' })
  }
  // A few upstreams stream one chunk with the whole message in it.
  const message = objectOf(choice['delta'] ?? choice['message'])
  const hasUsual = state.details.length === 0 && !mayCite(chunk) && isUsual(message)
  const delta = hasUsual ? usualDeltaOf(message, state) : deltaOf(reading, message, chunk, state)
  const logprobs = logprobsOf(choice['logprobs'])
  if (logprobs !== null || !isEmpty(delta)) tell(delta, logprobs)
  const reason = finishReasonOf(choice['finish_reason'], state.slots.count > 0)
  if (reason === undefined || state.finished) return
  state.finished = true
  if (state.details.length > 0) tell({ thinking_blocks: detailsBlock(state.details.splice(0)) })
  const rest = state.slots.rest()
  if (rest.length > 0) tell({ tool_calls: [...rest] })
  steps.push(stepOf(envelope, { index, delta: {}, finish_reason: reason, logprobs: null }))
}

function stepOf(envelope: Envelope, choice: ChatChunk['choices'][number]): ChatStep {
  return { event: { ...envelope, choices: [choice] } }
}

const wordFields: ReadonlySet<string> = new Set([
  'role',
  'content',
  'reasoning_content',
  'reasoning',
])

/** Whether a delta holds texts and calls only, as most do, so that nothing else need be looked for in it. */
function isUsual(delta: Fields): boolean {
  for (const name in delta) {
    const value = delta[name]
    if (value === null || (typeof value === 'string' && wordFields.has(name))) continue
    if (name !== 'tool_calls' || !Array.isArray(value)) return false
  }
  return true
}

/** The same as `deltaOf` for a usual delta. */
function usualDeltaOf(delta: Fields, state: ChoiceState): ChatDelta {
  const text = textOf(delta['content'])
  const reasoning = readReasoning(delta)
  state.length += text.length
  const read: ChatDelta = {}
  if (reasoning !== '') read.reasoning_content = reasoning
  if (text !== '') read.content = text
  if (!Array.isArray(delta['tool_calls'])) return read
  const calls = toolCallsIn(delta, state)
  if (calls.length > 0) read.tool_calls = calls
  return read
}

/** The pieces of the calls in a delta. */
function toolCallsIn(delta: Fields, state: ChoiceState): ToolCallDelta[] {
  const pieces: ToolCallDelta[] = []
  for (const piece of listOf(delta['tool_calls']))
    if (isObject(piece)) pieces.push(...state.slots.read(piece))
  return pieces
}

function isEmpty(delta: ChatDelta): boolean {
  for (const _ in delta) return false
  return true
}

function deltaOf(reading: Reading, delta: Fields, chunk: Fields, state: ChoiceState): ChatDelta {
  const { text, reasoning, annotations: cited, unread } = readContent(delta['content'])
  const signed = state.signed.read(listOf(delta['thinking_blocks']).filter(isThinkingBlock))
  const thought = readReasoning(delta) || reasoning || signed.text
  const refusal = someText(delta['refusal'])
  const { audio } = delta
  const images = imagesOf(listOf(delta['images']))
  const annotations = [
    ...cited.map((annotation) => shiftedAnnotation(annotation, state.length)),
    ...annotationsOf(reading, delta, chunk),
  ]
  state.length += text.length
  const { function_call: older } = delta
  const toolCalls = toolCallsIn(delta, state)
  if (isObject(older)) toolCalls.push(...state.slots.read({ index: 0, function: older }))
  const { blocks: read, details } = readState(delta, signed.blocks)
  for (const piece of details) addDetail(state.details, piece)
  const isOver = text !== '' || toolCalls.length > 0
  const blocks = [...read, ...(isOver ? detailsBlock(state.details.splice(0)) : [])]
  return {
    ...(thought === '' ? {} : { reasoning_content: thought }),
    ...(blocks.length === 0 ? {} : { thinking_blocks: blocks }),
    ...(text === '' ? {} : { content: text }),
    ...(refusal === undefined ? {} : { refusal }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    ...(isObject(audio) ? { audio } : {}),
    ...(images.length === 0 ? {} : { images }),
    ...(annotations.length === 0 ? {} : { annotations }),
    ...serverCallsOf(delta, unread),
  }
}

/** Citations are repeated in every chunk; they are sent once. */
function annotationsOf(reading: Reading, delta: Fields, chunk: Fields): Fields[] {
  const annotations = [...givenAnnotations(delta)]
  if (reading.cited) return annotations
  const citations = readAnnotations(chunk)
  if (citations.length > 0) reading.cited = true
  return [...annotations, ...citations]
}

/** Id, time and model come from the first chunk with a choice; later chunks are ignored. */
function envelopeOf(reading: Reading, chunk: Fields): Envelope {
  reading.envelope ??= {
    id: someText(chunk['id']) ?? reading.context.newId('chatcmpl-'),
    object: 'chat.completion.chunk',
    created: createdOf(chunk, reading.context),
    model: reading.context.publicModel,
    system_fingerprint: someText(chunk['system_fingerprint']) ?? null,
    ...tierOf(chunk),
  }
  return reading.envelope
}

/**
 * Assembles the thinking blocks of one choice. LiteLLM streams a block of Claude's in unsigned pieces. The signature comes in a
 * last piece, with no text, the last part of the text or all of it again (BerriAI/litellm#29428). A model does not accept a
 * block without its signature.
 */
class SignedBlocks {
  #received = ''

  /** Returns the blocks that are complete with these pieces, and the text of incomplete ones. */
  read(pieces: readonly ThinkingBlock[]): {
    readonly blocks: readonly ThinkingBlock[]
    readonly text: string
  } {
    const blocks: ThinkingBlock[] = []
    let text = ''
    for (const piece of pieces) {
      if (piece.type !== 'thinking') blocks.push(piece)
      else if (piece.signature) blocks.push(this.#whole(piece))
      else {
        text += piece.thinking ?? ''
        this.#received += piece.thinking ?? ''
      }
    }
    return { blocks, text }
  }

  #whole(block: ThinkingBlock): ThinkingBlock {
    const { thinking = '' } = block
    const text = thinking.startsWith(this.#received) ? thinking : this.#received + thinking
    this.#received = ''
    return { ...block, thinking: text }
  }
}
