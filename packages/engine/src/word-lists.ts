import { readFileSync } from 'node:fs'

/** Lists of words. Each begins with a line `# name: what it is`, and an empty line ends it. */
const text = readFileSync(new URL('./word-lists.txt', import.meta.url), 'utf8')

const lists: ReadonlyMap<string, readonly string[]> = new Map(
  text.split('\n\n').map((list) => {
    const [head = '', ...lines] = list.trim().split('\n')
    return [head.slice(2, head.indexOf(':')), lines]
  }),
)

/** The lines of a list. */
export function linesIn(name: string): readonly string[] {
  const lines = lists.get(name)
  if (lines === undefined) throw new Error(`There is no list of words named ${name}`)
  return lines
}

/** The words of a list, each with the first word of its line. */
export function headsIn(name: string): ReadonlyMap<string, string> {
  const heads = linesIn(name).flatMap((line) => {
    const words = line.split(' ')
    return words.map((word) => [word, words[0] ?? word] as const)
  })
  return new Map(heads)
}

/** The words of a list. */
export function wordsIn(name: string): ReadonlySet<string> {
  return new Set(linesIn(name).flatMap((line) => line.split(' ')))
}
