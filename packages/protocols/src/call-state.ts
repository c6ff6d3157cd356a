import {
  formatJson,
  isTooDeep,
  listOf,
  objectOf,
  parsedJson,
  someText,
  type ThinkingBlock,
  type ToolCall,
} from '@sluice/contract'
import { callSignature, withSignature } from './call-signature.ts'
import { isThinkingBlock } from './carried-reasoning.ts'

/**
 * What a provider needs back with a call, inside the call's id. Clients return ids unread with the call and its result, also
 * those that know nothing of reasoning, and what they return reaches every replica of the gateway. Used for formats in which
 * only the parts of reasoning, which callers must ask for, could hold it otherwise.
 *
 * An id with such a state has only letters, digits, `_` and `-`, if the id itself has (Anthropic: `^[a-zA-Z0-9_-]+$`). No
 * upstream gets it, because some limit ids to 40 or 64 characters; only an upstream that is itself a gateway like this one
 * reads what it has written.
 */
export interface CallState {
  readonly signature: string | undefined
  /** Reasoning before the call, in order. */
  readonly blocks: readonly ThinkingBlock[]
}

const mark = '__sluice_'
/** Nothing, a signature, or JSON; the last two in base64url. */
const stateForm = /^(e|[sj][a-zA-Z0-9_-]+)$/

/**
 * A longer state is left out: without it the conversation goes on, only with less of the reasoning. Gemini's signatures have
 * up to a few thousand characters.
 */
const stateCharactersMax = 16_384

/** The id of a call for the client. */
export function statedId(
  call: Pick<ToolCall, 'id' | 'extra_content'>,
  blocks: CallState['blocks'],
) {
  const { id } = call
  const signature = callSignature(call)
  const [state] = [
    formatState({ signature, blocks }),
    formatState({ signature, blocks: [] }),
  ].filter(({ length }) => length <= stateCharactersMax)
  // An id that a gateway behind this one made is returned to it as it is.
  if (state === undefined || state === '') return id.includes(mark) ? `${id}${mark}e` : id
  return id + mark + state
}

function formatState({ signature, blocks }: CallState): string {
  if (blocks.length > 0) return `j${base64url(formatJson({ signature, blocks }))}`
  if (signature === undefined) return ''
  const bytes = Buffer.from(signature, 'base64')
  return bytes.toString('base64') === signature
    ? `s${bytes.toString('base64url')}`
    : `j${base64url(formatJson({ signature }))}`
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}

export function hasState(id: unknown): boolean {
  return typeof id === 'string' && partsOf(id) !== undefined
}

/** The id of the call itself. */
export function plainId(id: string): string {
  return partsOf(id)?.id ?? id
}

function partsOf(id: string): { readonly id: string; readonly state: string } | undefined {
  const at = id.lastIndexOf(mark)
  const state = id.slice(at + mark.length)
  return at > 0 && stateForm.test(state) ? { id: id.slice(0, at), state } : undefined
}

/** The call with its own id and signature, and the reasoning before it. */
export function withoutState<C extends ToolCall>(
  call: C,
): { readonly call: C; readonly blocks: readonly ThinkingBlock[] } {
  const parts = partsOf(call.id)
  if (parts === undefined) return { call, blocks: [] }
  const { signature, blocks } = parseState(parts.state)
  const signed = signature === undefined ? {} : withSignature(signature)
  return { call: { ...call, id: parts.id, ...signed }, blocks }
}

function parseState(state: string): CallState {
  const bytes = Buffer.from(state.slice(1), 'base64url')
  if (state.startsWith('s')) return { signature: bytes.toString('base64'), blocks: [] }
  // What a client changed restores nothing.
  const given = state === 'e' ? undefined : parsedJson(bytes.toString())
  const { signature, blocks } = objectOf(isTooDeep(given) ? undefined : given)
  return { signature: someText(signature), blocks: listOf(blocks).filter(isThinkingBlock) }
}

/** The blocks before each call, for calls that hold them in their ids. What is after the last call belongs to it. */
export function blocksByCall(
  blocks: readonly ThinkingBlock[] | null | undefined,
  calls: number,
): ReadonlyMap<number, readonly ThinkingBlock[]> {
  return Map.groupBy(blocks ?? [], ({ place = 0 }) => Math.min(Math.max(0, place - 1), calls - 1))
}
