/** A message's text told apart: what its sender says, and what a program put around that. */
export interface ToldApart {
  readonly text: string
  readonly context: string
}

const openTag = /<([A-Za-z][\w-]{1,40})(?: [^<>\n]{0,200})?>/g

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
function elementsOf(text: string, isWanted: (name: string) => boolean): Element[] {
  const elements: Element[] = []
  const unclosed = new Set<string>()
  let from = 0
  for (const match of text.matchAll(openTag)) {
    const name = match[1] ?? ''
    if (match.index < from || unclosed.has(name) || !isWanted(name)) continue
    const inside = match.index + match[0].length
    const close = closingOf(text, name, inside)
    if (close < 0) {
      unclosed.add(name)
      continue
    }
    from = close + name.length + 3
    elements.push({ start: match.index, end: from, inner: text.slice(inside, close) })
  }
  return elements
}

/** Where `</name>` stands, elements of the same name inside being passed over. */
function closingOf(text: string, name: string, from: number): number {
  let open = text.indexOf(`<${name}>`, from)
  let close = text.indexOf(`</${name}>`, from)
  for (let depth = 1; close >= 0; ) {
    const opens = open >= 0 && open < close
    depth += opens ? 1 : -1
    if (depth === 0) break
    if (opens) open = text.indexOf(`<${name}>`, open + 1)
    else close = text.indexOf(`</${name}>`, close + 1)
  }
  return close
}

function between(text: string, elements: readonly Element[]): string {
  let rest = ''
  let from = 0
  for (const { start, end } of elements) {
    rest += `${text.slice(from, start)}\n`
    from = end
  }
  return rest + text.slice(from)
}
