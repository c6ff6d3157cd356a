import { wordsIn } from '../../word-lists.ts'

/** A message's text, divided into what its sender says and what a program put around it. */
interface ToldApart {
  readonly text: string
  readonly context: string
}

const tag = /<\/?([A-Za-z][\w-]{1,40})(?: [^<>\n]{0,200})?>/g

/** `<task>`, `<user_query>`: the request is inside the tag, and everything outside is not part of it. */
const requestTag = /^(?:task|user[-_]?(?:input|query|request|message|prompt))$/i

/** `<system-reminder>`, `<userRules>`: names of two words, one of which shows that the text is not a request. */
const harnessWords = wordsIn('harness')
const harnessNames: ReadonlySet<string> = new Set(['env', 'reminder', 'INSTRUCTIONS'])

/** Separates a request from the context that coding agents and other programs add to it ("<system-reminder>…"). */
export function tellApart(text: string): ToldApart {
  if (text.startsWith('# AGENTS.md instructions')) return { text: '', context: text }
  if (!text.includes('<')) return { text: unquoted(text), context: '' }
  const requests = elementsOf(text, (name) => requestTag.test(name))
  if (requests.length > 0)
    return {
      text: requests.map(({ inner }) => tellApart(inner).text).join('\n\n'),
      context: between(text, requests),
    }
  const harness = elementsOf(text, isHarness)
  if (harness.length === 0) return { text, context: '' }
  return {
    text: unquoted(between(text, harness).trim()),
    context: harness.map(({ inner }) => inner).join('\n\n'),
  }
}

/** Some agents put the whole request in quotation marks. A mark after a blank opens a quotation inside it. */
function unquoted(text: string): string {
  const next = text.indexOf('"', 1)
  const isWhole =
    text.startsWith('"') &&
    text.endsWith('"') &&
    (next === text.length - 1 || /[\s(\\]/.test(text.charAt(next - 1)))
  return isWhole && text.length > 2 ? text.slice(1, -1).replaceAll(String.raw`\"`, '"') : text
}

function isHarness(name: string): boolean {
  if (harnessNames.has(name)) return true
  const words = name
    .replace(/(?<=[a-z])(?=[A-Z])/g, '-')
    .toLowerCase()
    .split(/[-_]/)
  return words.length > 1 && words.some((word) => harnessWords.has(word))
}

interface Element {
  readonly start: number
  readonly end: number
  readonly inner: string
}

/** The outermost elements with a wanted name. One that is never closed does not count. */
export function elementsOf(text: string, isWanted: (name: string) => boolean): Element[] {
  const elements: Element[] = []
  const tags = [...text.matchAll(tag)]
  const closed = new Set(tags.filter(([whole]) => whole.startsWith('</')).map(([, name]) => name))
  let open: { readonly name: string; readonly start: number; readonly inside: number } | undefined
  let depth = 0
  for (const { 0: whole, 1: name = '', index } of tags) {
    const end = index + whole.length
    if (open === undefined) {
      if (whole.startsWith('</') || !closed.has(name) || !isWanted(name)) continue
      open = { name, start: index, inside: end }
      depth = 1
    } else if (open.name === name) {
      depth += whole.startsWith('</') ? -1 : 1
      if (depth > 0) continue
      elements.push({ start: open.start, end, inner: text.slice(open.inside, index) })
      open = undefined
    }
  }
  return elements
}

function between(text: string, elements: readonly Element[]): string {
  const ends = [0, ...elements.map(({ end }) => end)]
  return ends.map((end, index) => text.slice(end, elements[index]?.start)).join('\n')
}
