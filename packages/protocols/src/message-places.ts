import type { ChatRequest, ContentPart, Message } from '@sluice/contract'
import type { FormatContext } from './protocol.ts'

/** Where a client's request has what chat has in its messages, in chat's order, whichever messages it is in. */
export interface MessagePlaces {
  /** Pictures, files and sounds. */
  readonly media: readonly string[]
  readonly calls: readonly string[]
  /** By the id of the call. */
  readonly results: ReadonlyMap<unknown, string>
}

/** How a format has messages. */
interface Form {
  readonly toCanonical: (request: unknown, context: FormatContext) => Pick<ChatRequest, 'messages'>
  readonly placesOf: (request: unknown) => MessagePlaces
  /** What stands behind a place in chat, and what is there in the caller's own words; what is not listed is the place. */
  readonly words: readonly (readonly [RegExp, string])[]
}

/**
 * The caller's path of a canonical one to a picture, file, sound, call or result; undefined for every other, and where the
 * conversation shows another number of them than the caller wrote. Messages are split and moved on the way to the canonical
 * form, but what is in them keeps its order.
 */
export function messagePaths({
  toCanonical,
  placesOf,
  words,
}: Form): (canonical: string, request: unknown) => string | undefined {
  // A request of thousands of messages may have thousands of paths.
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
      // What has no canonical form was refused by its own paths.
      return new Map()
    }
  }
  return (canonical, request) => {
    const [, index, place = '', rest = ''] = told.exec(canonical) ?? []
    if (index === undefined || typeof request !== 'object' || request === null) return undefined
    const found = read(request).get(`${index}${place}`)
    if (found === undefined) return undefined
    const [, own = ''] = words.find(([tail]) => tail.test(place + rest)) ?? []
    return found + own
  }
}

/** Paths that only the canonical form has. */
const told =
  /^messages\[(\d+)\](\.content\[\d+\](?=\.(?:image_url|file|input_audio|video_url))|\.tool_calls\[\d+\]|\.tool_call_id)(.*)$/

/** The caller's places by those of chat. */
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
