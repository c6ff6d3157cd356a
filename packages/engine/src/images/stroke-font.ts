/**
 * The engine's own letters, as strokes, so that text shows on a machine without any fonts. A glyph is strokes parted
 * by blanks; a stroke is points of two digits, x from 0 (left) and y from 0 (top of capitals) over 2 (top of small
 * letters) and 6 (base line) to 8 (bottom of descenders). One point alone is a dot.
 */
const table: Readonly<Record<string, string>> = {
  A: '062046 1434',
  B: '0006 003041423303 3344453606',
  C: '4130100105163645',
  D: '0006 002042442606',
  E: '40000646 0333',
  F: '400006 0333',
  G: '41301001051636454323',
  H: '0006 4046 0343',
  I: '1016 0020 0626',
  J: '4045361605',
  K: '0006 4004 1346',
  L: '000646',
  M: '0600234046',
  N: '06004640',
  O: '103041453616050110',
  P: '06003041423303',
  Q: '103041453616050110 2446',
  R: '06003041423303 2346',
  S: '413010010213334445361605',
  T: '0040 2026',
  U: '000516364540',
  V: '002640',
  W: '0016233640',
  X: '0046 4006',
  Y: '002340 2326',
  Z: '00400646',
  a: '12324346 441405163645',
  b: '0006 0312324345361605',
  c: '4332120305163645',
  d: '4046 4332120305163645',
  e: '04444332120305163645',
  f: '30201116 0222',
  g: '4247381807 4332120305163645',
  h: '0006 0312324346',
  i: '0206 00',
  j: '121708 10',
  k: '0006 3205 1436',
  l: '000516',
  m: '0206 0312223336 3342526366',
  n: '0206 0312324346',
  o: '123243453616050312',
  p: '0208 0312324345361605',
  q: '4248 4332120305163645',
  r: '0206 031232',
  s: '43321203143445361605',
  t: '10152636 0232',
  u: '0205163645 4246',
  v: '022642',
  w: '0216233642',
  x: '0246 4206',
  y: '0226 4218',
  z: '02420646',
  ß: '06011020313223343526',
  '0': '103041453616050110 23',
  '1': '011016 0626',
  '2': '01103041420646',
  '3': '01103041423313 334445361605',
  '4': '36300444',
  '5': '40000333444536 361605',
  '6': '413010010516364544331304',
  '7': '004016',
  '8': '103041423313020110 3344453616050413',
  '9': '051636454130100102133342',
  '.': '06',
  ',': '1607',
  ':': '03 06',
  ';': '13 1607',
  '!': '0004 06',
  '?': '01103041422324 26',
  "'": '0002',
  '"': '0002 2022',
  '-': '0434',
  '+': '0444 2226',
  '=': '0343 0545',
  _: '0747',
  '/': '4006',
  '\\': '0046',
  '(': '20111526',
  ')': '00111506',
  '[': '10000616',
  ']': '00101606',
  '{': '20101203141626',
  '}': '00101223141606',
  '<': '420446',
  '>': '024406',
  '|': '0007',
  '&': '461120310405162644',
  '%': '4006 0010110100 3545463635',
  '#': '1016 3036 0242 0444',
  '@': '33222434 32344441301001051646',
  '*': '2024 0143 4103',
  '^': '022042',
  '~': '04133443',
  '`': '0011',
  $: '413010010213334445361605 2026',
  '€': '413020111526 263645 0232 0434',
  '°': '0010110100',
  '·': '04',
  '×': '0246 4206',
  '→': '0444 224426',
  ' ': '',
}

/** Marks over letters, in a box two wide and one high; the last lies under the base line. */
const markTable: Readonly<Record<string, string>> = {
  '\u0300': '0011',
  '\u0301': '2011',
  '\u0302': '011021',
  '\u0303': '01102120',
  '\u0304': '0121',
  '\u0306': '001120',
  '\u0307': '10',
  '\u0308': '00 20',
  '\u030a': '102011001011',
  '\u030b': '1001 2011',
  '\u030c': '001120',
  '\u0327': '1011',
}

const lookalikes: Readonly<Record<string, string>> = {
  '“': '"',
  '”': '"',
  '„': '"',
  '‘': "'",
  '’': "'",
  '–': '-',
  '—': '-',
  '−': '-',
  '…': '...',
  '\u00a0': ' ',
  '\t': ' ',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  ı: 'i',
}

export type Point = readonly [x: number, y: number]

export interface Glyph {
  readonly strokes: readonly (readonly Point[])[]
  /** Without the space after it, in the same units. */
  readonly width: number
}

const spaceWidth = 2
const underBaseLine = 6.4

/**
 * The glyphs of a text, one per drawn character; a character this font does not have stays a string, for another
 * font to draw.
 */
export function glyphsOf(text: string): readonly (Glyph | string)[] {
  const drawn: (Glyph | string)[] = []
  const plain = text.replaceAll(/[^\x20-\x7e]/g, (character) => lookalikes[character] ?? character)
  for (const character of plain.normalize('NFD')) {
    const strokes = table[character]
    const mark = markTable[character]
    const last = drawn.at(-1)
    if (strokes !== undefined) drawn.push(glyphOf(strokes))
    else if (mark !== undefined && typeof last === 'object')
      drawn[drawn.length - 1] = withMark(last, mark, character)
    else drawn.push(character)
  }
  return drawn
}

function glyphOf(text: string): Glyph {
  const strokes = strokesOf(text)
  const width = strokes.length === 0 ? spaceWidth : Math.max(...strokes.flat().map(([x]) => x))
  return { strokes, width }
}

function strokesOf(text: string): readonly (readonly Point[])[] {
  if (text === '') return []
  return text
    .split(' ')
    .map((stroke) => Array.from(stroke.matchAll(/(\d)(\d)/g), ([, x, y]) => [Number(x), Number(y)]))
}

function withMark({ strokes, width }: Glyph, mark: string, character: string): Glyph {
  const top = Math.min(...strokes.flat().map(([, y]) => y))
  const left = width / 2 - 1
  const up = character === '\u0327' ? underBaseLine : top - 2
  const moved = strokesOf(mark).map((stroke) => stroke.map(([x, y]) => [x + left, y + up] as const))
  return { strokes: [...strokes, ...moved], width }
}
