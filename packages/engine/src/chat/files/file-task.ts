import type { Ask } from '../ask/ask.ts'
import { withoutWithheld } from '../ask/split-request.ts'
import { pathsOf, quotedOf } from '../text/spans.ts'

/** What a request wants done with files. Every part of it is stated in the request itself. */
export type FileTask = { readonly kind: 'read'; readonly paths: readonly string[] } | ReplaceTask

export interface ReplaceTask {
  readonly kind: 'replace'
  readonly path: string
  readonly old: string
  readonly fresh: string
}

const requestCharactersMax = 2000
const pathsMax = 16

/** Undefined if the request is not about a file or does not say what to do. */
export function fileTaskOf({ text: given }: Ask): FileTask | undefined {
  if (given.length > requestCharactersMax || /https?:\/\//i.test(given)) return undefined
  const text = withoutWithheld(given, (part) => pathsOf(part).length > 0)
  const paths = pathsOf(text).map((span) => span.text)
  const [path] = paths
  if (path === undefined || paths.length > pathsMax) return undefined
  if (changes.test(text)) return paths.length === 1 ? replacement(text, path) : undefined
  return reads.test(text) ? { kind: 'read', paths } : undefined
}

const opening = String.raw`(?:^|[.!?:;,\n]\s{0,3}|\b(?:and|then|please|you|(?:want|need|like|have|you) to|file|[\w/]{1,80}\.\w{1,8}),? )`
/** Verbs for anything but reading. */
const changes = new RegExp(
  `${opening}(?:replace|change|swap|substitute|switch|rename|correct|fix|edit|update|modify|set|write|create|make|save|delete|remove|add|append|insert|prepend|put|move|copy|overwrite|turn|convert|send|upload|run|execute|find|search|grep|list)(?=\\s)`,
  'i',
)
const reads =
  /\b(?:read|open|show|display|print|view|cat|look|check|see|tell|what(?:'s|’s)?|which|who|when|where|how|summari[sz]e|describe|explain|contents?|output|quote|give|count|does|is)\b/i

const swapping =
  /\b(?:replace|change|swap|substitute|switch|rename|correct|fix|edit|update|modify|turn|set)\b/i
const fromTo = /\bfrom (.{1,800}?) to (.{1,800})$/is
const oldToNew =
  /\b(?:replace|change|swap|substitute|switch|rename|correct|fix|edit|update|modify|turn)\b (.{1,800}?) ?(?:\b(?:with|by|to|into|for)\b|→|->|=>) ?(.{1,800})$/is

/** "In notes.txt replace foo with bar". */
function replacement(text: string, path: string): ReplaceTask | undefined {
  const asked = withoutPath(text, path)
  if (!swapping.test(asked)) return undefined
  const quoted = quotedOf(asked).map((span) => span.text)
  if (quoted.length > 2) return undefined
  const [old, fresh] = quoted.length === 2 ? quoted : operandsIn(asked)
  if (old === undefined || fresh === undefined || old === fresh) return undefined
  return { kind: 'replace', path, old, fresh }
}

function operandsIn(asked: string): readonly (string | undefined)[] {
  const sentences = asked.split(
    /(?<=[.!?])\s+(?=\p{Lu})|, (?:and|then) | and then | and (?=(?:tell|say|show|confirm|save|report|let)\b)/u,
  )
  const sentence = sentences.find((part) => swapping.test(part)) ?? ''
  const match = fromTo.exec(sentence) ?? oldToNew.exec(sentence)
  return [operand(match?.[1]), operand(match?.[2])]
}

function withoutPath(text: string, path: string): string {
  const at = text.indexOf(path)
  const before = text
    .slice(0, at)
    .replace(/["'`“]$/, '')
    .replace(
      /[ ,]{0,2}\b(?:in|of|inside|within|at|on|to)? ?(?:the )?(?:file |document )?(?:named |called )?$/i,
      ' ',
    )
  const after = text.slice(at + path.length).replace(/^["'`”]?[,:]?/, '')
  return `${before.trimEnd()} ${after.trimStart()}`.trim()
}

/** The text after an introduction such as "the word" or "every occurrence of", without the marks around it. */
function operand(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const bare = text
    .trim()
    .replace(
      /^(?:(?:every|all|each|any) )?(?:(?:the )?(?:occurrences?|instances?) of )?(?:(?:the )?(?:words?|strings?|texts?|lines?|phrases?|values?|names?) )?(?=\S)/i,
      '',
    )
    .replace(/[ ,]{1,2}(?:please|everywhere|throughout|for me|instead)[.!]?$/i, '')
    .replace(/[.!]$/, '')
    .trim()
  const quoted = quotedOf(bare)[0]
  const whole = quoted !== undefined && quoted.text.length >= bare.length - 2 ? quoted.text : bare
  return whole === '' ? undefined : whole
}
