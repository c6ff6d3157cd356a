/** A message's text told apart: what its sender says, and what a program put around that. */
export interface ToldApart {
  readonly text: string
  readonly context: string
}

const tag = /<\/?([A-Za-z][\w-]{1,40})(?: [^<>\n]{0,200})?>/g

/** `<task>`, `<user_query>`: what is inside is the request, and everything beside it is not. */
const requestTag = /^(?:task|user[-_]?(?:input|query|request|message|prompt))$/i

/** `<system-reminder>`, `<environment_context>`, `<userRules>`: two words, one of which says that it is no request. */
const harnessWords: ReadonlySet<string> = new Set(
  `reminder reminders context instructions details info information environment env permissions notice mode rules skills
  caveat selection file files stdout stderr metadata state status layout hook notification session name message args
  data directory agents memory`.split(/\s+/),
)
const harnessNames: ReadonlySet<string> = new Set(['env', 'reminder', 'INSTRUCTIONS'])

/** What coding agents and other programs add to a request ("<system-reminder>…") is context, never the request. */
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

/** Some agents put the whole request in quotation marks; a mark behind a blank opens one inside of it. */
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

/** The outermost elements whose name is wanted; one that is never closed is none. */
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
