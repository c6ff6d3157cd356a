import { describe, expect, test } from 'vitest'
import { formatHex, parseColor } from '../src/images/colors.ts'
import { parseInstruction, parseNegative } from '../src/images/parse-instruction.ts'

function understood(instruction: string) {
  return parseInstruction(instruction).steps.map(({ operation }) => operation)
}

describe('image edit instructions', () => {
  test.each([
    ['Make it grayscale', [{ kind: 'grayscale', amount: 1 }]],
    ['Convert to B&W', [{ kind: 'grayscale', amount: 1 }]],
    ['a black-and-white version please', [{ kind: 'grayscale', amount: 1 }]],
    ['remove all colours', [{ kind: 'grayscale', amount: 1 }]],
    ['rotate the image 45 degrees counter-clockwise', [{ kind: 'rotate', degrees: -45 }]],
    ['rotate by 12.5°', [{ kind: 'rotate', degrees: 12.5 }]],
    ['rotate left', [{ kind: 'rotate', degrees: -90 }]],
    ['turn it upside down', [{ kind: 'rotate', degrees: 180 }]],
    [
      'flip horizontally, then blur slightly',
      [
        { kind: 'flip', axis: 'horizontal' },
        { kind: 'blur', amount: 0.25 },
      ],
    ],
    ['mirror the picture vertically', [{ kind: 'flip', axis: 'vertical' }]],
    [
      'crop to a square',
      [{ kind: 'crop', area: { by: 'ratio', ratio: 1, place: { x: 'center', y: 'center' } } }],
    ],
    [
      'crop to 200x100 from the top left',
      [
        {
          kind: 'crop',
          area: { by: 'pixels', width: 200, height: 100, place: { x: 'left', y: 'top' } },
        },
      ],
    ],
    [
      'crop to 16:9',
      [{ kind: 'crop', area: { by: 'ratio', ratio: 16 / 9, place: { x: 'center', y: 'center' } } }],
    ],
    [
      'crop the left half',
      [
        {
          kind: 'crop',
          area: { by: 'parts', width: 0.5, height: 1, place: { x: 'left', y: 'center' } },
        },
      ],
    ],
    ['resize to 320x240', [{ kind: 'resize', width: 320, height: 240 }]],
    ['scale down to 300 px wide', [{ kind: 'resize', width: 300 }]],
    ['resize to 50%', [{ kind: 'resize', factor: 0.5 }]],
    ['make it twice as big', [{ kind: 'resize', factor: 2 }]],
    ['make it 20% smaller', [{ kind: 'resize', factor: 0.8 }]],
    ['sharpen it strongly', [{ kind: 'sharpen', amount: 0.8 }]],
    [
      'Increase the brightness by 30% and reduce the contrast',
      [
        { kind: 'brightness', amount: 0.3 },
        { kind: 'contrast', amount: -0.5 },
      ],
    ],
    ['make it a little darker', [{ kind: 'brightness', amount: -0.25 }]],
    ['boost saturation', [{ kind: 'saturation', amount: 0.5 }]],
    ['invert colors', [{ kind: 'invert', amount: 1 }]],
    ['add a thick red border', [{ kind: 'border', width: { part: 0.1 }, color: [255, 0, 0] }]],
    [
      'a 10px white frame and a blur',
      [
        { kind: 'border', width: { pixels: 10 }, color: [255, 255, 255] },
        { kind: 'blur', amount: 0.5 },
      ],
    ],
    [
      'add the caption "Hello World" at the top in yellow',
      [
        {
          kind: 'caption',
          text: 'Hello World',
          place: { x: 'center', y: 'top' },
          color: [255, 255, 0],
        },
      ],
    ],
    [
      "write 'Sale' in the center",
      [{ kind: 'caption', text: 'Sale', place: { x: 'center', y: 'center' } }],
    ],
    [
      'add text saying "Happy Birthday" at the top',
      [{ kind: 'caption', text: 'Happy Birthday', place: { x: 'center', y: 'top' } }],
    ],
    [
      'add a watermark "© me" in the bottom left',
      [{ kind: 'caption', text: '© me', place: { x: 'left', y: 'bottom' }, faint: true }],
    ],
    ['place the two images side by side', [{ kind: 'combine' }]],
    [
      'add a red circle in the top left',
      [{ kind: 'draw', things: [{ shape: 'circle', count: 1 }] }],
    ],
    ["don't rotate, just brighten", [{ kind: 'brightness', amount: 0.5 }]],
    ['blur, no border', [{ kind: 'blur', amount: 0.5 }]],
    [
      "make it sepia and add the caption 'Sea'",
      [
        { kind: 'sepia', amount: 1 },
        { kind: 'caption', text: 'Sea', place: { x: 'center', y: 'bottom' } },
      ],
    ],
    [
      'add a red star and rotate 90 degrees',
      [
        { kind: 'draw', things: [{ shape: 'star', count: 1 }] },
        { kind: 'rotate', degrees: 90 },
      ],
    ],
    [
      'crop to 80 % and add a red circle and two stars',
      [
        {
          kind: 'crop',
          area: { by: 'parts', width: 0.8, height: 0.8, place: { x: 'center', y: 'center' } },
        },
        {
          kind: 'draw',
          things: [
            { shape: 'circle', count: 1 },
            { shape: 'star', count: 2 },
          ],
        },
      ],
    ],
    ['blur, blur and blur', [{ kind: 'blur', amount: 0.5 }]],
  ])('%s', (instruction, expected) => {
    expect(understood(instruction)).toMatchObject(expected)
    expect(understood(instruction)).toHaveLength(expected.length)
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
    expect(understood('add the caption "rotate and blur me"')).toMatchObject([
      { kind: 'caption', text: 'rotate and blur me' },
    ])
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
    ['light red', '#ff8080'],
    ['Sky Blue', '#87ceeb'],
    ['navy blue', '#000080'],
    ['#f0a', '#ff00aa'],
    ['rebeccapurple', '#663399'],
  ])('%s is %s', (text, hex) => {
    const color = parseColor(text)
    expect(color && formatHex(color)).toBe(hex)
  })

  test('rejects other words as colors', () => {
    for (const word of ['house', '#12', '', 'constructor', 'light'])
      expect(parseColor(word)).toBeUndefined()
  })
})
