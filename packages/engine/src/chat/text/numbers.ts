const ones = 'one two three four five six seven eight nine'.split(' ')
const teens =
  'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ')
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const scales = ['hundred', 'thousand', 'million', 'billion', 'trillion']

/** Number words and their values. */
const worth: ReadonlyMap<string, number> = new Map([
  ['zero', 0] as const,
  ...[...ones, ...teens].map((word, index) => [word, index + 1] as const),
  ...tens.map((word, index) => [word, 10 * (index + 2)] as const),
  ['hundred', 100] as const,
  ...scales.slice(1).map((word, index) => [word, 1000 ** (index + 1)] as const),
])

const any = (words: readonly string[]): string => `(?:${words.join('|')})`
const spelled = `${any(tens)}(?:[ -]${any(ones)})?|${any(teens)}|${any(ones)}|zero`

const pattern = new RegExp(
  String.raw`(?:(?<![\p{L}\p{N}_.]|\p{L}[-−])(?<digits>[-−+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])|\d+(?:\.\d+)?))|(?<![A-Za-z])(?<words>${spelled})(?![A-Za-z]))(?: (?<scale>${any(scales)})(?![A-Za-z]))?`,
  'giu',
)

/** A number in a text: its digits and its place. */
export interface NumberSpan {
  readonly value: number
  /** Plain digits with an optional point and sign, whatever form the text uses. */
  readonly digits: string
  readonly start: number
  readonly end: number
}

/** All numbers of a text, in digits or in words up to ninety-nine, also with a scale ("2 million", "three hundred"). */
export function numbersOf(text: string): NumberSpan[] {
  return [...text.matchAll(pattern)].map(({ groups = {}, index: start, 0: found }) => {
    const { digits, scale, words = '' } = groups
    const plain = digits?.replaceAll(',', '').replace('−', '-').replace('+', '')
    const factor = worth.get(scale?.toLowerCase() ?? '') ?? 1
    const said = words.toLowerCase().split(/[ -]/)
    const bare = plain ?? said.reduce((sum, word) => sum + (worth.get(word) ?? 0), 0)
    const value = Number(bare) * factor
    const isPlain = plain !== undefined && scale === undefined
    return { value, digits: isPlain ? plain : plainDigits(value), start, end: start + found.length }
  })
}

/** Digits without an exponent. */
function plainDigits(value: number): string {
  return Number.isInteger(value) ? BigInt(value).toString() : String(value)
}
