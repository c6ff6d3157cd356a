import type { ChatRequest, ContentPart, Message } from '@sluice/contract'
import type { FormatContext } from './client-format.ts'

/** The paths in a client's request of the content of chat messages, in the order of the canonical messages. */
export interface MessagePlaces {
  /** Images, files and audio. */
  readonly media: readonly string[]
  readonly calls: readonly string[]
  /** The first reasoning; undefined if there is none. */
  readonly thought: string | undefined
  /** The first signature of a call; undefined if there is none, or it is in the call's id. */
  readonly signature?: string | undefined
  /** By the id of the call. */
  readonly results: ReadonlyMap<unknown, string>
}

/** How a format represents messages. */
export interface MessageForm {
  readonly toCanonical: (request: unknown, context: FormatContext) => Pick<ChatRequest, 'messages'>
  readonly placesOf: (request: unknown) => MessagePlaces
  /** What follows a place in a canonical path, and what follows it in the caller's path. If no row matches, nothing is added. */
  readonly words: readonly (readonly [RegExp, string])[]
}

/**
 * Translates a canonical path to an image, file, audio, call or result into the caller's path. Undefined for every other path,
 * and if the canonical messages contain another number of them than the caller's request. Messages are split and moved on the
 * way to the canonical form, but their contents keep their order.
 */
export function messagePaths({
  toCanonical,
  placesOf,
  words,
}: MessageForm): (canonical: string, request: unknown) => string | undefined {
  // A request with thousands of messages may have thousands of paths.
  const known = new WeakMap<object, Counted>()
  const read = (request: object): Counted => {
    const counted = known.get(request) ?? countIn(request)
    known.set(request, counted)
    return counted
  }
  const countIn = (request: object): Counted => {
    try {
      return count(toCanonical(request, quiet), placesOf(request))
    } catch {
      // A request without a canonical form was rejected with paths of its own format.
      return new Map()
    }
  }
  return (canonical, request) => {
    if (isReasoningPath(canonical)) {
      const { thought, signature } = placesOf(request)
      return canonical.endsWith('.extra_content') ? signature : thought
    }
    const [, index, place = '', rest = ''] = canonicalPath.exec(canonical) ?? []
    if (index === undefined || typeof request !== 'object' || request === null) return undefined
    const found = read(request).get(`${index}${place}`)
    if (found === undefined) return undefined
    const [, own = ''] = words.find(([tail]) => tail.test(place + rest)) ?? []
    return found + own
  }
}

/** Paths that exist only in the canonical form. */
const canonicalPath =
  /^messages\[(\d+)\](\.content\[\d+\](?=\.(?:image_url|file|input_audio|video_url))|\.tool_calls\[\d+\]|\.tool_call_id)(.*)$/

/** Whether a canonical path is that of reasoning, which has one path in the caller's request: that of its first place. */
export function isReasoningPath(canonical: string): boolean {
  return reasoningPath.test(canonical)
}

const reasoningPath =
  /^messages\[\d+\]\.(?:reasoning_content|thinking_blocks|tool_calls\[\d+\]\.extra_content)$/

/** Maps canonical paths to the caller's. */
type Counted = ReadonlyMap<string, string>

const quiet: FormatContext = {
  now: () => 0,
  newId: (prefix) => prefix,
  headers: {},
  unsupported: () => {},
  leftOut: () => {},
}

function count({ messages }: Pick<ChatRequest, 'messages'>, places: MessagePlaces): Counted {
  const media = messages.flatMap(({ content }, index) =>
    (Array.isArray(content) ? content : []).flatMap((part, at) =>
      isMedium(part) ? [`${index}.content[${at}]`] : [],
    ),
  )
  const calls = messages.flatMap(({ tool_calls: made }, index) =>
    (made ?? []).map((_, at) => `${index}.tool_calls[${at}]`),
  )
  return new Map([
    ...paired(media, places.media),
    ...paired(calls, places.calls),
    ...messages.flatMap((message, index) => resultPlace(message, index, places)),
  ])
}

function isMedium({ type }: ContentPart): boolean {
  return type !== 'text'
}

function paired(
  canonical: readonly string[],
  own: readonly string[],
): readonly (readonly [string, string])[] {
  if (canonical.length !== own.length) return []
  return canonical.map((place, index) => [place, own[index] ?? ''])
}

function resultPlace(
  { tool_call_id: id }: Message,
  index: number,
  { results }: MessagePlaces,
): readonly (readonly [string, string])[] {
  const place = id == null ? undefined : results.get(id)
  return place === undefined ? [] : [[`${index}.tool_call_id`, place]]
}
