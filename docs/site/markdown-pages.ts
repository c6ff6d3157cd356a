import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** It has front matter alone, in place of which llms.txt stands. */
export const homePage = 'index.md'

/** A section of the menu, as VitePress takes it. */
interface Section {
  readonly text: string
  readonly items: readonly Entry[]
}

type Entry = { readonly text: string; readonly link: string } | Section

interface Site {
  readonly title: string
  readonly description: string
  readonly menu: readonly Section[]
  /** Sources below `sourceFolder`, such as `providers/index.md`. */
  readonly pages: readonly string[]
  readonly sourceFolder: string
  readonly outputFolder: string
}

/** Writes the Markdown of each page beside its HTML, and llms.txt (https://llmstxt.org/) with a link to each page of the menu. */
export function writeMarkdownPages(site: Site): void {
  const { pages, sourceFolder, outputFolder } = site
  for (const page of pages.filter((one) => one !== homePage)) {
    const file = join(outputFolder, page)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, markdownOf(join(sourceFolder, page)))
  }
  writeFileSync(join(outputFolder, 'llms.txt'), listOf(site))
}

/** Without front matter, with what it includes, and with links to Markdown. */
function markdownOf(file: string): string {
  return readFileSync(file, 'utf8')
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replaceAll(/^<!--\s*@include:\s*(\S+?)\s*-->$/gm, (_, included: string) =>
      readFileSync(join(dirname(file), included), 'utf8').trimEnd(),
    )
    .replaceAll(
      /\]\((\/[^)#]*)(#[^)]*)?\)/g,
      (_, link: string, part = '') => `](${sourceOf(link)}${part})`,
    )
}

/** The Markdown of a page by its link in the menu: `/errors/` is an index. */
function sourceOf(link: string): string {
  return link.endsWith('/') ? `${link}index.md` : `${link}.md`
}

function listOf({ title, description, menu }: Site): string {
  const lines = menu.flatMap(({ text, items }) => [
    '',
    `## ${text}`,
    '',
    ...items.flatMap(entryLines),
  ])
  return [`# ${title}`, '', `> ${description}`, ...lines, ''].join('\n')
}

function entryLines(entry: Entry): readonly string[] {
  if ('items' in entry) return entry.items.flatMap(entryLines)
  return [`- [${entry.text}](${sourceOf(entry.link)})`]
}
