/** Finds server-sent events in a response body that is split at arbitrary bytes. */
export interface EventScanner {
  /** Throws RangeError if an event is larger than 16 MiB. */
  push(piece: Buffer): void
}

/** No model sends larger events; without a limit a broken server could fill the memory. */
const eventBytesMax = 16 * 1024 * 1024

const lineFeed = 10
const carriageReturn = 13
const letterD = 100
const nothing = Buffer.alloc(0)

/**
 * Calls `found` with the bytes of each event that holds data, without its blank line. Lines end in LF or CRLF. Unlike the
 * splitter of `wire/sse.ts` it creates no strings and objects, so that measuring has little overhead.
 */
export function createEventScanner(found: (event: Buffer) => void): EventScanner {
  let rest: Buffer = nothing
  let lineStart = 0
  let hasData = false

  return {
    push(piece) {
      const data = rest.length === 0 ? piece : Buffer.concat([rest, piece])
      let eventStart = 0
      // Only whole lines were scanned before. Continue at the start of the new chunk, in the line that was cut.
      let feed = data.indexOf(lineFeed, rest.length)
      for (; feed >= 0; feed = data.indexOf(lineFeed, lineStart)) {
        const lineEnd = feed > lineStart && data[feed - 1] === carriageReturn ? feed - 1 : feed
        if (lineEnd > lineStart) {
          hasData ||= data[lineStart] === letterD
        } else {
          if (hasData) found(data.subarray(eventStart, lineStart))
          hasData = false
          eventStart = feed + 1
        }
        lineStart = feed + 1
      }
      rest = eventStart === data.length ? nothing : data.subarray(eventStart)
      lineStart -= eventStart
      if (rest.length > eventBytesMax) throw new RangeError('An event is larger than 16 MiB')
    },
  }
}
