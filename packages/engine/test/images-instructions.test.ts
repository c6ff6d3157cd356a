import { describe, expect, test } from 'vitest'
import { formatHex, nameOf, parseColor } from '../src/images/colors.ts'
import { describeOperation } from '../src/images/edit-operations.ts'
import { parseInstruction, parseNegative } from '../src/images/parse-instruction.ts'

function understood(instruction: string): string {
  return parseInstruction(instruction).operations.map(describeOperation).join(' | ')
}

describe('instructions', () => {
  test.each([
    ['Make it grayscale', 'convert to grayscale (strength 100 %)'],
    ['Convert to B&W', 'convert to grayscale (strength 100 %)'],
    ['a black-and-white version please', 'convert to grayscale (strength 100 %)'],
    ['remove all colours', 'convert to grayscale (strength 100 %)'],
    ['rotate the image 45 degrees counter-clockwise', 'rotate 45° counter-clockwise'],
    ['rotate by 12.5°', 'rotate 12.5° clockwise'],
    ['rotate left', 'rotate 90° counter-clockwise'],
    ['turn it upside down', 'rotate 180° clockwise'],
    ['flip horizontally, then blur slightly', 'flip horizontally | blur (strength 25 %)'],
    ['mirror the picture vertically', 'flip vertically'],
    ['crop to a square', 'crop to a square'],
    ['crop to 200x100 from the top left', 'crop to 200x100 at the top left'],
    ['crop to 16:9', 'crop to a ratio of 1.78'],
    ['crop the left half', 'crop to 50 % of the width and 100 % of the height at the left'],
    ['crop 10% off the top', 'crop to 100 % of the width and 90 % of the height at the bottom'],
    ['resize to 320x240', 'resize to 320x240'],
    ['scale down to 300 px wide', 'resize to a width of 300'],
    ['resize to 50%', 'resize to 50 %'],
    ['make it twice as big', 'resize to 200 %'],
    ['make it 20% smaller', 'resize to 80 %'],
    ['sharpen it strongly', 'sharpen (strength 80 %)'],
    [
      'Increase the brightness by 30% and reduce the contrast',
      'raise brightness by 30 % | reduce contrast by 50 %',
    ],
    ['make it a little darker', 'reduce brightness by 25 %'],
    ['boost saturation', 'raise saturation by 50 %'],
    ['invert colors', 'invert the colours'],
    ['pixelate it', 'pixelate in blocks of 4 %'],
    ['add a thick red border', 'add a red border of 10 %'],
    ['a 10px white frame and a blur', 'add a white border of 10 px | blur (strength 50 %)'],
    ['add the caption "Hello World" at the top in yellow', 'write "Hello World" at the top'],
    ["write 'Sale' in the center", 'write "Sale" at the center'],
    ['add text saying "Happy Birthday" at the top', 'write "Happy Birthday" at the top'],
    ['add a watermark "© me" in the bottom left', 'write "© me" at the bottom left'],
    ['remove the background', 'make the background transparent'],
    ['change the background to light blue', 'fill the background with lightblue'],
    ['put it on a white background', 'fill the background with white'],
    ['give it a green tint', 'tint green (#008000, strength 50 %)'],
    ['place the two images side by side', 'set the pictures side by side'],
    ['blend the two images at 30%', 'blend the pictures at 30 %'],
    [
      'put the second image in the top right corner',
      'lay the other picture over the first at the top right',
    ],
    ['add a red circle in the top left', 'draw a red circle in the top left'],
    ["don't rotate, just brighten", 'raise brightness by 50 %'],
    ['blur, no border', 'blur (strength 50 %)'],
    [
      "make it sepia and add the caption 'Sea'",
      'sepia tone (strength 100 %) | write "Sea" at the bottom',
    ],
    [
      'blur it and change the background to blue',
      'blur (strength 50 %) | fill the background with blue',
    ],
    ['add a red star and rotate 90 degrees', 'draw a red star | rotate 90° clockwise'],
    [
      'crop to 80 % and add a red circle and two stars',
      'crop to 80 % of the width and 80 % of the height at the center | draw a red circle and two stars',
    ],
    ['blur, blur and blur', 'blur (strength 50 %)'],
  ])('%s', (instruction, expected) => {
    expect(understood(instruction)).toBe(expected)
  })

  test('what no rule takes is left over, clause by clause', () => {
    const parsed = parseInstruction('Blur it, make her smile. Then dress the dog in a hat')
    expect(parsed.operations).toHaveLength(1)
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
  ])('"%s" is not done in part', (instruction) => {
    expect(parseInstruction(instruction)).toEqual({ operations: [], leftover: [instruction] })
  })

  test('quoted words are never read as instructions', () => {
    expect(understood('add the caption "rotate and blur me"')).toBe(
      'write "rotate and blur me" at the bottom',
    )
  })

  test('hostile texts are read quickly and give a bounded number of operations', () => {
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
      expect(parsed.operations.length).toBeLessThanOrEqual(24)
    }
    expect(performance.now() - started).toBeLessThan(2000)
  })

  test('a negative prompt rules kinds out by verb or by name', () => {
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
    ['light red', '#ff8080'],
    ['Sky Blue', '#87ceeb'],
    ['navy blue', '#000080'],
    ['#f0a', '#ff00aa'],
    ['rebeccapurple', '#663399'],
  ])('%s is %s', (text, hex) => {
    const color = parseColor(text)
    expect(color && formatHex(color)).toBe(hex)
  })

  test('other words are none', () => {
    for (const word of ['house', '#12', '', 'constructor', 'light'])
      expect(parseColor(word)).toBeUndefined()
  })

  test('the nearest name', () => {
    expect(nameOf([254, 1, 1])).toBe('red')
  })
})
