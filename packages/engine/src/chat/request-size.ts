import { type ChatRequest, type ContentPart, invalidRequest, type Message } from '@sluice/contract'
import { countSent, countTokensInTurns } from '../tokens.ts'
import { createPause } from './pause.ts'

/** A request with more characters and values than this is large. A smaller one takes a few milliseconds. */
const smallMax = 8000

/** Whether a value is so large that processing it may take long. */
export function isLarge(value: unknown): boolean {
  return holdsMore(value, smallMax, (text) => text.length)
}

/** Whether a value contains more than `max` values, where each text counts as `weigh` returns. Reads no more than necessary. */
export function holdsMore(
  value: unknown,
  max: number,
  weigh = (_text: string): number => 1,
): boolean {
  let left = max
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    left -= typeof next === 'string' ? weigh(next) : 1
    if (left < 0) return true
    if (typeof next === 'object' && next !== null)
      for (const inner of Object.values(next)) open.push(inner)
  }
  return false
}

/**
 * Keywords for minimum sizes. Like references, which may refer to a schema around them, they allow a small schema to require a
 * large value.
 */
const sizes = new Set(['minItems', 'minLength', 'minProperties', 'minContains'])
const smallSize = 50

/** Whether a schema, or a value with schemas in it, may require much more than its own size. */
export function wantsMuch(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([name, inner]) =>
      name === '$ref' ||
      name === '$dynamicRef' ||
      (sizes.has(name) && typeof inner === 'number' && inner > smallSize) ||
      wantsMuch(inner),
  )
}

const levelsMax = 64

/** Throws invalid_request with the path of a tool or a schema that is nested more deeply than any real one. */
export function assertShallow({ tools, response_format: format }: ChatRequest): void {
  const tool = (tools ?? []).findIndex(isDeep)
  const param = tool >= 0 ? `tools[${tool}]` : 'response_format.json_schema'
  if (tool >= 0 || isDeep(format))
    throw invalidRequest(`'${param}' is nested more than ${levelsMax} levels deep`, param)
}

/**
 * Whether a value is nested more deeply than any real schema. Goes level by level, since deep nesting would exhaust the stack of
 * recursive code.
 */
export function isDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levelsMax) return true
    level = level.flatMap((inner) =>
      typeof inner === 'object' && inner !== null ? Object.values(inner) : [],
    )
  }
  return false
}

/** Tokens of a message besides its text: its role and its delimiters. */
const messageTokens = 4
const replyTokens = 3
/** An image that was not opened counts as one of low detail, other media as ten seconds of audio. */
const pictureTokens = 85
const mediumTokens = 100

/** The tokens of a chat request as the built-in engine counts them, without opening images, audio and files. */
export async function promptTokens(request: ChatRequest): Promise<number> {
  const pause = createPause()
  let [tokens, characters, uncounted] = [0, 0, 0]
  for (const text of textsOf(request)) {
    const counted = text.slice(0, countedCharactersMax - characters)
    characters += counted.length
    uncounted += text.length - counted.length
    tokens += await countTokensInTurns(counted, pause)
  }
  const rest = Math.ceil((uncounted * tokens) / Math.max(1, characters))
  const frame = frameTokens(request) + tokens + rest
  return request.messages.reduce((sum, message) => sum + mediaTokens(message), frame)
}

/** The tokens of all texts of a request: messages, calls, tools and schemas. */
export function textTokens(request: ChatRequest): number {
  return textsOf(request).reduce((sum, text) => sum + countSent(text), frameTokens(request))
}

function frameTokens({ messages }: ChatRequest): number {
  return replyTokens + messages.length * messageTokens
}

function textsOf({ tools, response_format: format, messages }: ChatRequest): readonly string[] {
  const schema = format?.type === 'json_schema' ? format.json_schema : undefined
  return [
    ...[tools, schema].flatMap((declared) => (declared == null ? [] : JSON.stringify(declared))),
    ...messages.flatMap((message) => [messageText(message), callText(message)]),
  ]
}

/** Counting this many characters takes up to 0.2 seconds. The rest counts as the same number of tokens per character. */
const countedCharactersMax = 1_000_000

/** The text parts of a message, joined by blank lines. */
export function messageText({ content }: Message): string {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap((part) => part.text ?? part.refusal ?? []).join('\n\n')
}

function callText({ tool_calls: calls }: Message): string {
  return calls == null ? '' : JSON.stringify(calls)
}

function mediaTokens({ content }: Message): number {
  const media = (Array.isArray(content) ? content : []).filter(isMedium)
  return media.reduce(
    (sum, { type }) => sum + (type === 'image_url' ? pictureTokens : mediumTokens),
    0,
  )
}

/** Whether a part is an image, audio, a video or a file. */
export function isMedium({ type }: ContentPart): boolean {
  return type !== 'text' && type !== 'refusal'
}
