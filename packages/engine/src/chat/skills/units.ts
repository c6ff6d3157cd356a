import type { Skill } from '../ask/ask.ts'
import {
  divide,
  formatQuantity,
  isRounded,
  multiply,
  parseDecimal,
  type Quantity,
  toNumber,
} from '../math/rational.ts'
import { numbersOf } from '../text/numbers.ts'

interface Unit {
  readonly dimension: string
  /** How many of the dimension's first unit one of these is. */
  readonly factor: string
  readonly name: string
}

const table: Readonly<Record<string, readonly string[]>> = {
  length: [
    '1 m|metre|metres|meter|meters',
    '1000 km|kilometre|kilometres|kilometer|kilometers|kms',
    '0.01 cm|centimetre|centimetres|centimeter|centimeters',
    '0.001 mm|millimetre|millimetres|millimeter|millimeters',
    '1609.344 mi|mile|miles',
    '0.9144 yd|yard|yards',
    '0.3048 ft|foot|feet',
    '0.0254 inch|inches',
    '1852 nmi|nautical mile|nautical miles',
  ],
  mass: [
    '1 kg|kilogram|kilograms|kilo|kilos',
    '0.001 g|gram|grams',
    '0.000001 mg|milligram|milligrams',
    '0.45359237 lb|lbs|pound|pounds',
    '0.028349523125 oz|ounce|ounces',
    '1000 tonne|tonnes|metric tons',
    '6.35029318 stone|stones',
  ],
  time: [
    '1 s|sec|second|seconds',
    '60 min|minute|minutes',
    '3600 h|hr|hour|hours|hrs',
    '86400 day|days',
    '604800 week|weeks',
    '0.001 ms|millisecond|milliseconds',
  ],
  volume: [
    '1 l|litre|litres|liter|liters',
    '0.001 ml|millilitre|millilitres|milliliter|milliliters',
    '3.785411784 gallon|gallons|gal',
    '0.946352946 quart|quarts',
    '0.473176473 pint|pints',
    '0.2365882365 cup|cups',
  ],
  data: [
    '1 byte|bytes',
    '0.125 bit|bits',
    '1000 kb|kilobyte|kilobytes',
    '1000000 mb|megabyte|megabytes',
    '1000000000 gb|gigabyte|gigabytes',
    '1000000000000 tb|terabyte|terabytes',
    '1024 kib|kibibyte|kibibytes',
    '1048576 mib|mebibyte|mebibytes',
    '1073741824 gib|gibibyte|gibibytes',
  ],
  speed: [
    '1 m/s|metres per second|meters per second',
    '0.44704 mph|miles per hour',
    '0.514444444444 knot|knots',
  ],
  area: [
    '1 square metre|square metres|square meter|square meters|m2|m²',
    '10000 hectare|hectares',
    '4046.8564224 acre|acres',
    '1000000 square kilometre|square kilometres|square kilometers|km2|km²',
    '0.09290304 square foot|square feet',
  ],
}

const units = new Map<string, Unit>()
for (const [dimension, rows] of Object.entries(table))
  for (const row of rows) {
    const [factor, names] = [row.slice(0, row.indexOf(' ')), row.slice(row.indexOf(' ') + 1)]
    const all = names.split('|')
    const name = all.find((word) => word.endsWith('s') && word.length > 3) ?? all[0] ?? ''
    for (const word of all) units.set(word, { dimension, factor, name })
  }

const temperatures = new Map<string, 'celsius' | 'fahrenheit' | 'kelvin'>([
  ['celsius', 'celsius'],
  ['c', 'celsius'],
  ['°c', 'celsius'],
  ['centigrade', 'celsius'],
  ['degrees celsius', 'celsius'],
  ['fahrenheit', 'fahrenheit'],
  ['f', 'fahrenheit'],
  ['°f', 'fahrenheit'],
  ['degrees fahrenheit', 'fahrenheit'],
  ['kelvin', 'kelvin'],
  ['k', 'kelvin'],
])

const word = String.raw`(°?[a-z]{1,14}(?:[23²]|\/s)?(?: (?:per (?:second|hour)|miles?|met(?:re|er)s?|celsius|fahrenheit|kilomet(?:re|er)s?|feet|foot|tons))?)`
const amountWords = String.raw`\b(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|(?:a|one) (?:hundred|thousand|million))\b`
const from = new RegExp(
  String.raw`(-?[\d][\d.,]{0,20}|${amountWords}) ?(?:degrees? )?${word}\b.{0,20}?\b(?:in(?:to)?|to|as|is how many|equals? how many)\b ?(?:degrees? )?${word}`,
  'i',
)
const howMany = new RegExp(
  String.raw`how (?:many|much) ${word} (?:are|is|in)(?: there)?(?: in)? (-?[\d][\d.,]{0,20}|${amountWords}) ?(?:degrees? )?${word}`,
  'i',
)

/** Converts between units of one dimension. */
export const convertUnits: Skill = {
  name: 'units',
  answer({ instruction }) {
    const direct = from.exec(instruction)
    const reverse = direct === null ? howMany.exec(instruction) : null
    const [amountText, source, target] =
      direct !== null
        ? [direct[1], direct[2], direct[3]]
        : [reverse?.[2], reverse?.[3], reverse?.[1]]
    if (amountText === undefined || source === undefined || target === undefined) return undefined
    const amount = amountOf(amountText)
    if (amount === undefined) return undefined
    const converted = convert(amount, source.toLowerCase(), target.toLowerCase())
    if (converted === undefined) return undefined
    const [value, fromName, toName] = converted
    const shown =
      isRounded(value) || formatQuantity(value).length > 12
        ? String(Number(toNumber(value).toPrecision(8)))
        : formatQuantity(value)
    const given = formatQuantity(amount)
    return {
      skill: 'units',
      phrasings: [
        `${given} ${fromName} is ${shown} ${toName}.`,
        `${shown} ${toName}`,
        `${given} ${fromName} = ${shown} ${toName}`,
      ],
      value: shown,
      evidence: [],
    }
  },
}

function amountOf(text: string): Quantity | undefined {
  if (/^(?:a|an)$/i.test(text)) return parseDecimal('1')
  const digits = numbersOf(text)[0]?.digits
  return digits === undefined ? undefined : parseDecimal(digits)
}

function convert(
  amount: Quantity,
  source: string,
  target: string,
): readonly [Quantity, string, string] | undefined {
  const [hot, cold] = [temperatures.get(source), temperatures.get(target)]
  if (hot !== undefined && cold !== undefined)
    return [temperature(amount, hot, cold), degrees(hot), degrees(cold)]
  const [left, right] = [units.get(source), units.get(target)]
  if (left === undefined || right === undefined || left.dimension !== right.dimension)
    return undefined
  const value = divide(multiply(amount, parseDecimal(left.factor)), parseDecimal(right.factor))
  return [value, left.name, right.name]
}

function degrees(scale: string): string {
  return scale === 'kelvin' ? 'kelvin' : `degrees ${scale.charAt(0).toUpperCase()}${scale.slice(1)}`
}

function temperature(amount: Quantity, source: string, target: string): Quantity {
  const value = toNumber(amount)
  const celsius =
    source === 'celsius' ? value : source === 'kelvin' ? value - 273.15 : ((value - 32) * 5) / 9
  const result =
    target === 'celsius' ? celsius : target === 'kelvin' ? celsius + 273.15 : (celsius * 9) / 5 + 32
  return parseDecimal(
    Number(result.toFixed(4)).toString().includes('e') ? '0' : String(Number(result.toFixed(4))),
  )
}
