import { type Words } from './words-form.ts'
import { chat, completions, responses } from './words-openai.ts'
import { cohere, converse, gemini, geminiArray, messages } from './words-others.ts'

/** A whole answer in the same places as a stream: nothing before it, two parts, and its last byte. */
function asWhole(words: Words): Words {
  const { whole } = words
  const half = whole.length >> 1
  return {
    ...words,
    contentType: 'application/json',
    preamble: [],
    content: [whole.subarray(0, half), whole.subarray(half, -1)],
    ending: [whole.subarray(-1)],
  }
}

type Kind = readonly [address: RegExp, streamed: () => Words, isStream?: boolean]

/** By the address that was asked; what streams by its body and not by its address says so in `stream`. */
const kinds: readonly Kind[] = [
  [/\/chat\/completions(?:\?|$)/, chat],
  [/\/completions(?:\?|$)/, completions],
  [/\/responses$/, responses],
  [/\/messages$/, messages],
  [/:rawPredict$/, messages, false],
  [/:streamRawPredict$/, messages, true],
  [/:generateContent$/, gemini, false],
  [/:streamGenerateContent\?alt=sse$/, gemini, true],
  [/:streamGenerateContent$/, geminiArray, true],
  [/\/converse$/, converse, false],
  [/\/converse-stream$/, converse, true],
  [/\/v2\/chat$/, cohere],
]

const made = new Map<string, Words>()

/** The words for one request; undefined for an address that no upstream has. */
export function wordsFor(path: string, body: string): Words | undefined {
  const kind = kinds.find(([address]) => address.test(path))
  if (!kind) return undefined
  const [address, streamed, byAddress] = kind
  const isStream = byAddress ?? /"stream":\s*true/.test(body)
  const name = `${address.source} ${isStream}`
  const words = made.get(name) ?? (isStream ? streamed() : asWhole(streamed()))
  made.set(name, words)
  return words
}
