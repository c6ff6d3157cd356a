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
    ['resize to 320x240', ['resize']],
    ['resize to 50%', ['resize']],
    ['Enlarge it to 130% and flip it', ['resize', 'flip']],
    ['invert colors', ['invert']],
    ['a negative and a blur', ['invert', 'blur']],
    ['place the two images side by side', []],
    ['put them side-by-side and invert both', ['invert']],
    ["don't rotate, just invert", ['invert']],
    ['blur, no border', ['blur']],
    ['make it grey and crop to a square', ['grayscale', 'crop']],
    ['mirror it and rotate 90 degrees', ['flip', 'rotate']],
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
    'blur only the cat',
    'make it darker',
    'blur it by 80 %',
    'crop to 16:9',
    'add a 10px white frame',
    'remove the text',
    'turn the dog around',
    'add a red circle',
    'add a circle with a hat',
    'write "Rotate, blur" at the top',
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
    expect(parseInstruction('add the caption "rotate and blur me"')).toEqual({
      steps: [],
      leftover: ['add the caption "rotate and blur me"'],
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
    expect([...parseNegative('blurry, text, cropped')].toSorted()).toEqual(['blur', 'crop'])
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
