import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/npm.ts'

/** A block of code in a page of the documentation. */
export interface Snippet {
  readonly page: string
  /** The line it begins at. */
  readonly line: number
  readonly language: string
  readonly code: string
  /** Why no test runs it, where the page says so. */
  readonly notRun?: string
}

const docs = join(root, 'docs')
/** They show what comes back, and run nothing. */
const shownOnly: ReadonlySet<string> = new Set(['', 'text'])

/** The pages that are written by hand, below docs/, without those of decisions and of tables. */
export const pages = readdirSync(docs).filter(
  (file) => file.endsWith('.md') && !['settings.md', 'apply-file.md', 'commands.md'].includes(file),
)

const block = /(?:<!-- not run: ([^>]*?) -->\n+)?^```([\w-]*)[^\n]*\n([\s\S]*?)^```$/gm

/** What is to be run or checked of a page, in its order. */
export function snippetsOf(page: string): readonly Snippet[] {
  const text = readFileSync(join(docs, page), 'utf8')
  return [...text.matchAll(block)].flatMap(
    ({ 1: notRun, 2: language = '', 3: code = '', index }) => {
      if (shownOnly.has(language)) return []
      const line = text.slice(0, index).split('\n').length
      return [{ page, line, language, code, ...(notRun !== undefined && { notRun }) }]
    },
  )
}
