import type { Answer, Ask, Skill } from '../ask/ask.ts'
import { continueSequence } from '../math/sequence.ts'
import { numbersOf } from '../text/numbers.ts'

const termsMax = 1000

/** Counting up and down, primes, Fibonacci numbers, multiplication tables, the alphabet, and what comes next in a row. */
export const sequence: Skill = {
  name: 'sequence',
  answer: (ask) => counting(ask) ?? named(ask) ?? alphabet(ask) ?? next(ask),
}

function listAnswer(items: readonly (string | number)[], ask: Ask): Answer | undefined {
  if (items.length === 0) return undefined
  const lines = /\b(?:per|each on a(?: new| separate)?|new|separate) lines?\b/i.test(
    ask.instruction,
  )
  const ways = [items.join(', '), items.join('\n')]
  const phrasings = lines ? [ways[1] ?? ''] : ways
  return { skill: 'sequence', phrasings, value: phrasings[0] ?? '', evidence: [] }
}

function counting(ask: Ask): Answer | undefined {
  if (/\b(?:sum|total|average|mean|product|multiply|add|random|between)\b/i.test(ask.instruction))
    return undefined
  const match =
    /\b(?:count|list|write|print|give|say|output|numbers?)\b.{0,40}?\b(?:from )?(-?\d{1,9}|[a-z]{3,9}) (?:up |down |back )?(?:to|through|until) (-?\d{1,9}|[a-z-]{3,14})(?: by (\w{1,9}))?/i.exec(
      ask.instruction,
    )
  const short =
    match === null
      ? /\bcount (?:up )?to (\d{1,9}|[a-z-]{3,14})(?: by (\w{1,9}))?/i.exec(ask.instruction)
      : null
  const [from, to, by] =
    match === null ? ['1', short?.[1], short?.[2]] : [match[1], match[2], match[3]]
  const [start, end] = [value(from), value(to)]
  if (start === undefined || end === undefined) return undefined
  const step = Math.abs(value(by) ?? byWord(ask.instruction)) || 1
  const first =
    /\beven\b/i.test(ask.instruction) && start % 2 !== 0
      ? start + 1
      : /\bodd\b/i.test(ask.instruction) && start % 2 === 0
        ? start + 1
        : start
  const terms: number[] = []
  const sign = end >= first ? 1 : -1
  for (let term = first; sign * (end - term) >= 0 && terms.length < termsMax; term += sign * step)
    terms.push(term)
  return listAnswer(terms, ask)
}

function byWord(instruction: string): number {
  if (/\b(?:even|odd|by twos)\b/i.test(instruction)) return 2
  if (/\bby fives\b/i.test(instruction)) return 5
  return /\bby tens\b/i.test(instruction) ? 10 : 1
}

function value(text: string | undefined): number | undefined {
  return text === undefined ? undefined : numbersOf(text)[0]?.value
}

const makers: readonly (readonly [RegExp, (count: number) => number[]])[] = [
  [/\bprimes?(?: numbers?)?\b/i, primes],
  [/\bfibonacci\b/i, fibonacci],
  [/\beven numbers\b/i, (count) => Array.from({ length: count }, (_, index) => 2 * (index + 1))],
  [/\bodd numbers\b/i, (count) => Array.from({ length: count }, (_, index) => 2 * index + 1)],
  [
    /\b(?:square numbers|perfect squares|squares)\b/i,
    (count) => Array.from({ length: count }, (_, index) => (index + 1) ** 2),
  ],
  [
    /\bpowers of (?:two|2)\b/i,
    (count) => Array.from({ length: Math.min(count, 53) }, (_, index) => 2 ** index),
  ],
]

function named(ask: Ask): Answer | undefined {
  const match = /\b(?:first|next) ([\w-]{1,20}) (.{3,40})/i.exec(ask.instruction)
  const count = value(match?.[1])
  const maker = makers.find(([pattern]) => pattern.test(match?.[2] ?? ''))?.[1]
  if (maker !== undefined && count !== undefined && count > 0)
    return summed(maker(Math.min(Math.trunc(count), termsMax)), ask)
  const below =
    /\bprimes?(?: numbers?)? (?:less than|below|under|up to|smaller than) (\d{1,4})\b/i.exec(
      ask.instruction,
    )
  if (below !== null)
    return listAnswer(
      primes(termsMax).filter((prime) => prime < Number(below[1])),
      ask,
    )
  const table = /\bmultiplication table (?:of|for) (\d{1,6})\b|\b(\d{1,6}) times table\b/i.exec(
    ask.instruction,
  )
  const factor = Number(table?.[1] ?? table?.[2])
  return table === null
    ? undefined
    : listAnswer(
        Array.from(
          { length: 10 },
          (_, index) => `${factor} × ${index + 1} = ${factor * (index + 1)}`,
        ),
        { ...ask, instruction: 'one per line' },
      )
}

/** The row itself, or its sum where that is what was asked for. */
function summed(terms: readonly number[], ask: Ask): Answer | undefined {
  if (!/\bsum\b/i.test(ask.instruction)) return listAnswer(terms, ask)
  const total = String(terms.reduce((sum, term) => sum + BigInt(term), 0n))
  return {
    skill: 'sequence',
    phrasings: [`The sum is ${total}.`, total],
    value: total,
    evidence: [terms.join(' + ')],
  }
}

function primes(count: number): number[] {
  const found: number[] = []
  for (let candidate = 2; found.length < count; candidate++)
    if (found.every((prime) => prime * prime > candidate || candidate % prime !== 0))
      found.push(candidate)
  return found
}

function fibonacci(count: number): number[] {
  const terms = [0, 1]
  while (terms.length < Math.min(count, 78)) terms.push((terms.at(-1) ?? 0) + (terms.at(-2) ?? 0))
  return terms.slice(0, count)
}

function alphabet(ask: Ask): Answer | undefined {
  if (
    !/^(?:please )?(?:list|write|print|recite|give|say|output|what is|what's)\b.{0,20}\balphabet\b/i.test(
      ask.instruction,
    )
  )
    return undefined
  return listAnswer([...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'], ask)
}

function next(ask: Ask): Answer | undefined {
  if (!/\b(?:next|comes? after|continue|follows|complete|missing)\b/i.test(ask.instruction))
    return undefined
  const text = `${ask.instruction}\n${ask.passage.slice(0, 1000)}`
  const run = /-?\d+(?:\.\d+)?(?:\s*,\s*-?\d+(?:\.\d+)?){2,40}/.exec(text)?.[0]
  const words =
    run === undefined ? /[A-Za-z]+(?:\s*,\s*[A-Za-z]+){1,30}/.exec(text)?.[0] : undefined
  const items = (run ?? words)?.split(',').map((item) => item.trim())
  const following = items === undefined ? undefined : continueSequence(items)
  if (items === undefined || following === undefined) return undefined
  return {
    skill: 'sequence',
    phrasings: [
      `The next ${run === undefined ? 'item' : 'number'} is ${following.next[0]}.`,
      following.next[0] ?? '',
    ],
    value: following.next[0] ?? '',
    evidence: [following.rule],
  }
}
