const small = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
  'eighteen nineteen'
).split(' ')
const tens = ' ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const scales = ['', 'thousand', 'million', 'billion', 'trillion', 'quadrillion']
const irregularOrdinals: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
}

/** A number in digits, with a point, thousands commas and a sign or not, as it is said: `twenty one point five`. */
export function spokenNumber(written: string): string {
  const minus = /^[-−]/.test(written) ? 'minus ' : ''
  const [whole = '', fraction] = written.replace(/[-−+,]/g, '').split('.')
  const digits = whole.replace(/^0+(?=\d)/, '')
  // Past quadrillions, and with zeros in front, a number is a code and is read digit by digit.
  const coded = digits.length > 18 || (whole.length > 1 && whole.startsWith('0'))
  const head = coded ? spokenDigits(whole) : wholeNumber(digits)
  return `${minus}${head}${fraction === undefined ? '' : ` point ${spokenDigits(fraction)}`}`
}

/** `21` as `twenty first`. */
export function spokenOrdinal(digits: string): string {
  const words = spokenNumber(digits).split(' ')
  const last = words.pop() ?? ''
  const ordinal =
    irregularOrdinals[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`)
  return [...words, ordinal].join(' ')
}

/** Years are said in pairs: `nineteen eighty four`. */
export function spokenYear(digits: string): string {
  const century = Number(digits.slice(0, 2))
  const rest = Number(digits.slice(2))
  if (century % 10 === 0 && rest < 10) return spokenNumber(digits)
  const tail = rest === 0 ? 'hundred' : rest < 10 ? `oh ${small[rest]}` : belowThousand(rest)
  return `${belowThousand(century)} ${tail}`
}

function spokenDigits(digits: string): string {
  return [...digits].map((digit) => small[Number(digit)]).join(' ')
}

function wholeNumber(digits: string): string {
  if (digits === '' || digits === '0') return 'zero'
  const groups: string[] = []
  for (let end = digits.length, scale = 0; end > 0; end -= 3, scale++) {
    const group = Number(digits.slice(Math.max(0, end - 3), end))
    if (group > 0) groups.unshift(`${belowThousand(group)} ${scales[scale] ?? ''}`.trim())
  }
  return groups.join(' ')
}

function belowThousand(value: number): string {
  const words: string[] = []
  if (value >= 100) words.push(small[Math.floor(value / 100)] ?? '', 'hundred')
  const rest = value % 100
  if (rest >= 20) {
    words.push(tens[Math.floor(rest / 10)] ?? '')
    if (rest % 10 > 0) words.push(small[rest % 10] ?? '')
  } else if (rest > 0) words.push(small[rest] ?? '')
  return words.join(' ')
}
