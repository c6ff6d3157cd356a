import { describe, expect, test } from 'vitest'
import { formatHex, parseColor } from '../src/images/colors.ts'
import { parseInstruction, parseNegative } from '../src/images/parse-instruction.ts'

function kindsIn(instruction: string) {
  return parseInstruction(instruction).steps.map(({ edit }) => edit.kind)
}

describe('image edit instructions', () => {
  test.each([
    ['Make it grayscale', ['grayscale']],
    ['Convert to B&W', ['grayscale']],
    ['a black-and-white version please', ['grayscale']],
    ['remove all colours', ['grayscale']],
    ['rotate the image 45 degrees counter-clockwise', ['rotate']],
    ['rotate by 12.5°', ['rotate']],
    ['rotate left', ['rotate']],
    ['turn it upside down', ['rotate']],
    ['flip horizontally, then blur', ['flip', 'blur']],
    ['mirror the picture vertically', ['flip']],
    ['crop to a square', ['crop']],
    ['crop to 200x100', ['crop']],
    ['crop to 16:9', ['crop']],
    ['resize to 320x240', ['resize']],
    ['resize to 50%', ['resize']],
    ['Increase the brightness by 30% and flip it', ['brightness', 'flip']],
    ['make it darker', ['brightness']],
    ['blur it by 80 %', ['blur']],
    ['invert colors', ['invert']],
    ['add a red border', ['border']],
    ['a 10px white frame and a blur', ['border', 'blur']],
    ['add the caption "Hello World" at the top in yellow', ['caption']],
    ["write 'Sale' in the center", ['caption']],
    ['add text saying "Happy Birthday" at the top', ['caption']],
    ['place the two images side by side', ['combine']],
    ['add a red circle', ['draw']],
    ["don't rotate, just brighten", ['brightness']],
    ['blur, no border', ['blur']],
    ["make it grey and add the caption 'Sea'", ['grayscale', 'caption']],
    ['add a red star and rotate 90 degrees', ['draw', 'rotate']],
    ['blur, blur and blur', ['blur']],
  ])('%s', (instruction, expected) => {
    expect(kindsIn(instruction)).toEqual(expected)
    expect(parseInstruction(instruction).leftover).toEqual([])
  })

  test('returns unknown clauses as leftover', () => {
    const parsed = parseInstruction('Blur it, make her smile. Then dress the dog in a hat')
    expect(parsed.steps.map(({ words }) => words)).toEqual(['blur it'])
    expect(parsed.leftover).toEqual(['make her smile', 'dress the dog in a hat'])
    expect(parseInstruction('please make the image grayscale').leftover).toEqual([])
  })

  test.each([
    'put a hat on the cat',
    'put sunglasses on the person',
    'make the sky pink',
    'brighten only the cat',
    'remove the text',
    'turn the dog around',
    'add a circle with a hat',
    'change the red car to blue',
    'crop 10% off the top',
    'remove the background',
    'change the background to light blue',
    'blend the two images at 30%',
    'put the second image in the top right corner',
  ])('"%s" is not applied in part', (instruction) => {
    expect(parseInstruction(instruction)).toEqual({ steps: [], leftover: [instruction] })
  })

  test('ignores instructions in quoted text', () => {
    expect(parseInstruction('add the caption "rotate and blur me"')).toMatchObject({
      steps: [{ edit: { kind: 'caption' }, words: 'add the caption "rotate and blur me"' }],
    })
  })

  test('parses hostile text quickly into a bounded number of operations', () => {
    const texts = [
      '"',
      "'",
      'a ',
      'make the ',
      'change red to ',
      'rotate 1 ',
      'crop 1x',
      '\ue000',
      '( [ * +',
    ]
    const started = performance.now()
    for (const text of texts) {
      const parsed = parseInstruction(text.repeat(32_000 / text.length))
      expect(parsed.steps.length).toBeLessThanOrEqual(24)
    }
    expect(performance.now() - started).toBeLessThan(2000)
  })

  test('a negative prompt excludes kinds by verb or name', () => {
    expect([...parseNegative('blurry, text, cropped')].toSorted()).toEqual([
      'blur',
      'caption',
      'crop',
    ])
    expect([...parseNegative('low quality, constructor')]).toEqual([])
  })
})

describe('colours', () => {
  test.each([
    ['red', '#ff0000'],
    ['dark orange', '#ff8c00'],
    ['Sky Blue', '#87ceeb'],
    ['navy blue', '#000080'],
    ['#f0a', '#ff00aa'],
    ['rebeccapurple', '#663399'],
  ])('%s is %s', (text, hex) => {
    const color = parseColor(text)
    expect(color && formatHex(color)).toBe(hex)
  })

  test('rejects other words as colors', () => {
    for (const word of ['house', '#12', '', 'constructor', 'light', 'light red'])
      expect(parseColor(word)).toBeUndefined()
  })
})
