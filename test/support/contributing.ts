import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const contributing = readFileSync(join(import.meta.dirname, '../../CONTRIBUTING.md'), 'utf8')

/** A section of CONTRIBUTING.md. Throws if none has this heading. */
export function sectionOf(heading: string): string {
  const sections = contributing.split(/^## /m)
  const found = sections.find((section) => section.startsWith(`${heading}\n`))
  if (found === undefined) throw new Error(`CONTRIBUTING.md has no section “${heading}”`)
  return found
}

/** The code blocks of a section. */
export function blocksOf(heading: string): readonly string[] {
  return [...sectionOf(heading).matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
}

/** A test file with its imports from `sources`, such as '../../src/', rewritten as they would be in the sources. */
export function asSource(file: string, sources: string, shown = '../'): string {
  return readFileSync(file, 'utf8').replaceAll(`'${sources}`, `'${shown}`)
}
