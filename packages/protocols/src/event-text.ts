import { isObject, listOf, objectOf } from '@sluice/contract'

// How much text the events of a stream hold, for estimates where an upstream reports no usage.

/** Arguments that come as an object count whole. */
const objects = /"(?:args|input)": ?\{$/

/**
 * Returns a function that counts the bytes of text in the JSON of an event: those of the strings in fields with these names,
 * and of arguments. Linear in the event's length, without parsing it.
 */
export function textBytesIn(...names: readonly string[]): (data: string) => number {
  const field = new RegExp(`"(?:${names.join('|')})": ?(["{])`, 'g')
  return (data) => {
    field.lastIndex = 0
    let bytes = 0
    for (let found = field.exec(data); found; found = field.exec(data)) {
      const start = field.lastIndex
      const isText = found[1] === '"'
      if (!isText && !objects.test(found[0])) continue
      // The object is empty before the arguments arrive, or if there are none.
      const close = isText ? textEnd(data, start) : objectEnd(data, start)
      bytes += Buffer.byteLength(data.slice(start, close))
      field.lastIndex = close
    }
    return bytes
  }
}

/** Whether an event repeats earlier content, as those of OpenAI whose type ends in `.done` do. */
export function repeatsText(data: string): boolean {
  return /^\{"type": ?"[\w.]+\.done"/.test(data)
}

/** The index of the quote that ends a string. */
function textEnd(data: string, start: number): number {
  for (let at = data.indexOf('"', start); at >= 0; at = data.indexOf('"', at + 1)) {
    let escapes = 0
    while (data[at - 1 - escapes] === '\\') escapes += 1
    if (escapes % 2 === 0) return at
  }
  return data.length
}

/** The index of the brace that ends an object. */
function objectEnd(data: string, start: number): number {
  let depth = 1
  for (let at = start; at < data.length; at += 1) {
    const character = data[at]
    if (character === '"') at = textEnd(data, at + 1)
    else if (character === '{') depth += 1
    else if (character === '}') depth -= 1
    if (depth === 0) return at
  }
  return data.length
}

/** The bytes of text in a canonical event: chat and completion chunks, and transcripts. */
export function canonicalTextBytes(event: Readonly<Record<string, unknown>>): number {
  let bytes = bytesOf(event['delta'])
  for (const choice of listOf(event['choices'])) {
    const { text, delta } = objectOf(choice)
    bytes += bytesOf(text)
    if (isObject(delta)) bytes += deltaBytes(delta)
  }
  return bytes
}

function deltaBytes(delta: Readonly<Record<string, unknown>>): number {
  let bytes =
    bytesOf(delta['content']) + bytesOf(delta['reasoning_content']) + bytesOf(delta['refusal'])
  for (const call of listOf(delta['tool_calls'])) {
    const { function: called, custom } = objectOf(call)
    const { name, arguments: given } = objectOf(called)
    const { name: customName, input } = objectOf(custom)
    bytes += bytesOf(name) + bytesOf(given) + bytesOf(customName) + bytesOf(input)
  }
  return bytes + bytesOf(objectOf(delta['audio'])['transcript'])
}

function bytesOf(text: unknown): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : 0
}
