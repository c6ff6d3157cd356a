/** Finds the server-sent events in the body of an answer, cut at any byte. */
export interface EventScanner {
  /** Throws RangeError when one event is larger than 16 MiB. */
  push(piece: Buffer): void
}

/** A larger event is no event of a model; without a limit a broken server would fill the memory. */
const eventBytesMax = 16 * 1024 * 1024

const lineFeed = 10
const carriageReturn = 13
const letterD = 100
const nothing = Buffer.alloc(0)

/**
 * Calls `found` with the bytes of each event that holds data, without its blank line. Line ends are LF or CRLF. Unlike
 * the splitter of `wire/sse.ts` it makes no strings and no objects, so that measuring costs little beside what is
 * measured.
 */
export function createEventScanner(found: (event: Buffer) => void): EventScanner {
  let rest: Buffer = nothing
  let lineStart = 0
  let hasData = false

  return {
    push(piece) {
      const data = rest.length === 0 ? piece : Buffer.concat([rest, piece])
      let eventStart = 0
      // Only whole lines were looked at before, so the line that was cut is looked at again from where the piece begins.
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
