const cycles: readonly (readonly string[])[] = [
  'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' '),
  'January February March April May June July August September October November December'.split(
    ' ',
  ),
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  'one two three four five six seven eight nine ten eleven twelve'.split(' '),
  'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' '),
]

export interface Continued {
  /** The next five items at most. */
  readonly next: readonly string[]
  readonly rule: string
}

/** What follows in a row of numbers with a plain rule, of weekdays, months or letters; undefined without a rule. */
export function continueSequence(items: readonly string[]): Continued | undefined {
  if (items.every((item) => /^-?\d{1,15}(?:\.\d{1,6})?$/.test(item)))
    return numeric(items.map(Number))
  for (const cycle of cycles) {
    const places = items.map((item) =>
      cycle.findIndex((name) => name.toLowerCase() === item.toLowerCase()),
    )
    const [first, second] = places
    if (places.length < 2 || first === undefined || second === undefined || places.includes(-1))
      continue
    const step = (second - first + cycle.length) % cycle.length
    const steady = places.every((place, index) => place === (first + index * step) % cycle.length)
    if (!steady || step === 0) continue
    const last = places.at(-1) ?? 0
    const lower = items[0] === items[0]?.toLowerCase()
    const next = [1, 2, 3, 4, 5].map((ahead) => cycle[(last + ahead * step) % cycle.length] ?? '')
    return {
      next: lower ? next.map((name) => name.toLowerCase()) : next,
      rule: `every ${step === 1 ? '' : `${step}th `}item of a known row`,
    }
  }
  return undefined
}

function numeric(terms: readonly number[]): Continued | undefined {
  if (terms.length < 3) return undefined
  const [first = 0, second = 0] = terms
  const last = terms.at(-1) ?? 0
  const difference = second - first
  const ratio = second / first
  const near = (left: number, right: number): boolean =>
    Math.abs(left - right) < 1e-9 * Math.max(1, Math.abs(right))
  const pairs = terms.slice(1).map((term, index) => [terms[index] ?? 0, term] as const)
  if (pairs.every(([left, right]) => near(right - left, difference)))
    return continued(`add ${difference}`, (ahead) => last + ahead * difference)
  if (
    first !== 0 &&
    Number.isFinite(ratio) &&
    pairs.every(([left, right]) => near(right, left * ratio))
  )
    return continued(`multiply by ${ratio}`, (ahead) => last * ratio ** ahead)
  if (
    terms.length >= 4 &&
    terms.slice(2).every((term, index) => near(term, (terms[index] ?? 0) + (terms[index + 1] ?? 0)))
  ) {
    const row = terms.slice(-2)
    for (let count = 0; count < 5; count++) row.push((row.at(-1) ?? 0) + (row.at(-2) ?? 0))
    return { next: row.slice(2).map(String), rule: 'each is the sum of the two before' }
  }
  return quadratic(terms, near)
}

function quadratic(
  terms: readonly number[],
  near: (left: number, right: number) => boolean,
): Continued | undefined {
  if (terms.length < 4) return undefined
  const steps = terms.slice(1).map((term, index) => term - (terms[index] ?? 0))
  const bends = steps.slice(1).map((step, index) => step - (steps[index] ?? 0))
  const bend = bends[0] ?? 0
  if (!bends.every((value) => near(value, bend))) return undefined
  const next: string[] = []
  let term = terms.at(-1) ?? 0
  let step = steps.at(-1) ?? 0
  for (let count = 0; count < 5; count++) {
    step += bend
    term += step
    next.push(String(term))
  }
  return { next, rule: `the steps grow by ${bend}` }
}

function continued(rule: string, at: (ahead: number) => number): Continued {
  return { next: [1, 2, 3, 4, 5].map((ahead) => String(Number(at(ahead).toPrecision(12)))), rule }
}
