import {
  type Fields,
  isObject,
  listOf,
  matches,
  objectOf,
  textOf,
  ThinkingBlock,
} from '@sluice/contract'
import { hash } from 'node:crypto'
import { callSignature, withSignature } from '../call-signature.ts'
import { carry, restore } from '../carried-reasoning.ts'

/**
 * Reasoning in messages of chat completions. OpenAI has no field for it, so each kind is in the field of the program that
 * defined it, and with no other members and values than those of its definition, because clients check them:
 *
 * - `thinking_blocks` (LiteLLM, ChatCompletionThinkingBlock and ChatCompletionRedactedThinkingBlock): Anthropic's blocks
 * - `extra_content.google.thought_signature` (Google's OpenAI-compatible endpoint): the signature of Gemini's text
 * - `reasoning_details` (https://openrouter.ai/docs/use-cases/reasoning-tokens): OpenRouter's own details unchanged, and
 *   everything else as `reasoning.encrypted` with data that only a gateway like this one reads
 *
 * Messages with every kind in `thinking_blocks`, which earlier versions of this gateway wrote, are read, too.
 */
export interface MessageState {
  readonly thinking_blocks?: readonly Fields[]
  readonly extra_content?: Fields
  readonly reasoning_details?: readonly Fields[]
}

/** The fields of a message or a delta for its blocks. `index` is the number of details before these. */
export function writtenState(blocks: readonly ThinkingBlock[], index = 0): MessageState {
  const thinking = blocks.filter(isClaudes)
  const signatures = blocks.flatMap(({ type, signature }) =>
    type === 'thought' && signature != null ? [signature] : [],
  )
  const last = signatures.pop()
  const details = [
    ...signatures.map((signature) => opaqueDetail({ type: 'thought', signature })),
    ...thinking.flatMap(placeDetail),
    ...blocks.filter(({ type }) => type === 'reasoning').flatMap(reasoningDetails),
  ]
  return {
    ...(thinking.length === 0 ? {} : { thinking_blocks: thinking.map(writtenThinking) }),
    ...(last === undefined ? {} : withSignature(last)),
    ...(details.length === 0
      ? {}
      : { reasoning_details: details.map((detail, at) => ({ index: index + at, ...detail })) }),
  }
}

export function isClaudes({ type }: ThinkingBlock): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

export function writtenThinking({
  type,
  thinking = '',
  signature,
  data = '',
}: ThinkingBlock): Fields {
  if (type === 'redacted_thinking') return { type, data }
  return { type, thinking, ...(signature == null ? {} : { signature }) }
}

/** The kind of a block that holds OpenRouter's details. */
const detailsKind = 'reasoning_details'
const placeKind = 'thinking_place'

/** Where a block was among text and calls; nothing at the beginning. */
function placeDetail(block: ThinkingBlock): readonly Fields[] {
  const { place = 0 } = block
  return place === 0 ? [] : [opaqueDetail({ kind: placeKind, of: digestOf(block), place })]
}

/** Identifies a block among those of its message. */
function digestOf({ signature, data, thinking = '' }: ThinkingBlock): string {
  return hash('sha256', (signature ?? data) || thinking, 'base64url').slice(0, 16)
}

function reasoningDetails(block: ThinkingBlock): readonly Fields[] {
  if (block.id === detailsKind) return detailsIn(block)
  return [{ ...opaqueDetail(block), ...(block.id === undefined ? {} : { id: block.id }) }]
}

function opaqueDetail(content: unknown): Fields {
  return { type: 'reasoning.encrypted', data: carry(content), format: 'unknown' }
}

/** Whether one of a message's details was written by a gateway like this one. */
export function hasOpaqueDetail(message: Fields): boolean {
  return detailsOf(message).some((detail) => contentOf(detail) !== undefined)
}

function contentOf({ type, data }: Fields): unknown {
  return type === 'reasoning.encrypted' ? restore(textOf(data)) : undefined
}

function detailsOf(message: Fields): readonly Fields[] {
  return listOf(message['reasoning_details']).filter(isObject)
}

/** What was in a message or a delta, or in the details among them. */
export interface ReadState {
  readonly blocks: readonly ThinkingBlock[]
  /** OpenRouter's own details, which only it can read. */
  readonly details: readonly Fields[]
}

/** Reads what `writtenState` wrote, and what other servers write in the same fields. `thinking` are its blocks. */
export function readState(message: Fields, thinking: readonly ThinkingBlock[]): ReadState {
  const details = detailsOf(message)
  const contents = details.flatMap((detail) => contentOf(detail) ?? []).map(objectOf)
  const places = new Map(
    contents.flatMap(({ kind, of, place }) => (kind === placeKind ? [[of, place] as const] : [])),
  )
  const signature = callSignature(message)
  return {
    blocks: [
      ...(places.size === 0 ? thinking : thinking.map((block) => placedBlock(block, places))),
      ...contents.filter(isThinkingBlock),
      ...(signature === undefined ? [] : [{ type: 'thought' as const, signature }]),
    ],
    details: details.filter((detail) => contentOf(detail) === undefined),
  }
}

function placedBlock(block: ThinkingBlock, places: ReadonlyMap<unknown, unknown>): ThinkingBlock {
  const place = places.get(digestOf(block))
  return typeof place === 'number' && Number.isSafeInteger(place) ? { ...block, place } : block
}

/** The field of each kind of block that its provider requires back. */
const kept = {
  thinking: 'thinking',
  redacted_thinking: 'data',
  reasoning: 'encrypted_content',
  thought: 'signature',
} as const satisfies Record<ThinkingBlock['type'], keyof ThinkingBlock>

export function isThinkingBlock(block: unknown): block is ThinkingBlock {
  return matches(ThinkingBlock, block) && block[kept[block.type]] != null
}

/** OpenRouter's details as a block whose content only this file reads. */
export function detailsBlock(details: readonly unknown[]): ThinkingBlock[] {
  if (details.length === 0) return []
  const carried = carry({ kind: detailsKind, details })
  return [{ type: 'reasoning', id: detailsKind, summary: [], encrypted_content: carried }]
}

export function isDetails({ id }: ThinkingBlock): boolean {
  return id === detailsKind
}

/** OpenRouter's details that came with a message, in order. */
export function returnedDetails(
  blocks: readonly ThinkingBlock[] | null | undefined,
): readonly Fields[] {
  return (blocks ?? []).flatMap((block) => (isDetails(block) ? detailsIn(block) : []))
}

function detailsIn({ encrypted_content: encrypted }: ThinkingBlock): readonly Fields[] {
  return listOf(objectOf(restore(encrypted ?? ''))['details']).filter(isObject)
}

/**
 * Adds a streamed piece to a message's `reasoning_details` (OpenRouter, reasoning tokens). Texts come in pieces, with their
 * signature last; encrypted details come complete.
 */
export function addDetail(details: Fields[], piece: Fields): void {
  const last = details.at(-1)
  if (!last || !isMore(piece, last)) {
    details.push(piece)
    return
  }
  const joined = ['text', 'summary'].flatMap((name) =>
    name in piece || name in last ? [[name, textOf(last[name]) + textOf(piece[name])]] : [],
  )
  const given = Object.entries(piece).filter(([, value]) => value != null)
  details[details.length - 1] = { ...last, ...Object.fromEntries([...given, ...joined]) }
}

function isMore({ type, index }: Fields, last: Fields): boolean {
  return type === last['type'] && index === last['index'] && type !== 'reasoning.encrypted'
}
