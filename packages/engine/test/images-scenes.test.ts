import { describe, expect, test } from 'vitest'
import { sceneSvg } from '../src/images/draw-scene.ts'
import { foreignDrawingFor, measureText, textSvg, wrapText } from '../src/images/draw-text.ts'
import { generateImages, type GenerateImagesInput } from '../src/images/generate-images.ts'
import { parseObjects, parseScene } from '../src/images/parse-scene.ts'
import { decodePicture, drawSvg, type Picture } from '../src/images/picture.ts'
import { shapeNames } from '../src/images/shapes.ts'
import { glyphsOf } from '../src/images/stroke-font.ts'

function things(prompt: string): string[] {
  const counts = new Map<string, number>()
  for (const { shape } of parseScene(prompt, '').objects)
    counts.set(shape, (counts.get(shape) ?? 0) + 1)
  return [...counts].map(([shape, count]) => `${count} ${shape}`).toSorted()
}

describe('scenes', () => {
  test.each([
    ['a red circle', ['1 circle']],
    ['three yellow stars and two moons', ['2 moon', '3 star']],
    ['a dozen balloons', ['12 balloon']],
    ['7 fish', ['7 fish']],
    ['some trees, a house and people', ['1 house', '3 person', '3 tree']],
    ['two puppies and a kitten', ['1 cat', '2 dog']],
    ['五只猫', ['5 cat']],
    ['999 squares', ['30 square']],
  ])('%s', (prompt, expected) => {
    expect(things(prompt)).toEqual(expected)
  })

  test('colours, sizes and outlines belong to their own thing', () => {
    const [square, triangle] = parseScene(
      'a big green square and a small outlined purple triangle',
      '',
    ).objects
    expect(square).toMatchObject({ shape: 'square', color: [0, 128, 0], isOutline: false })
    expect(triangle).toMatchObject({ shape: 'triangle', color: [128, 0, 128], isOutline: true })
    expect(square!.size).toBeGreaterThan(triangle!.size * 2)
  })

  test('places and relations', () => {
    const objectOf = (prompt: string, shape: string) =>
      parseScene(prompt, '').objects.find((object) => object.shape === shape)!
    const corner = objectOf('a star in the top right corner', 'star')
    expect([corner.x, corner.y]).toEqual([0.8, 0.2])
    const above = 'a heart above a square'
    expect(objectOf(above, 'heart').y).toBeLessThan(objectOf(above, 'square').y)
    const left = 'a cat to the left of a dog'
    expect(objectOf(left, 'cat').x).toBeLessThan(objectOf(left, 'dog').x)
    const inside = parseScene('a blue hexagon inside a yellow circle', '').objects
    expect(inside.map(({ shape }) => shape)).toEqual(['circle', 'hexagon'])
    expect(inside[1]!.size).toBeLessThan(inside[0]!.size)
  })

  test('ground, weather, background and quoted text', () => {
    const scene = parseScene(
      'a boat on a green sea under a starry night, "Ahoy" in red text at the top',
      '',
    )
    expect(scene.grounds).toMatchObject([{ kind: 'sea', color: [0, 128, 0] }])
    expect(scene.weather).toEqual(['stars'])
    expect(scene.texts).toEqual([
      { text: 'Ahoy', place: { x: 'center', y: 'top' }, color: [255, 0, 0] },
    ])
    const plain = parseScene('a circle on a pink background', '').background
    expect(plain.colors).toEqual([[255, 192, 203]])
    expect(parseScene('gradient from red to blue', '').background.colors).toEqual([
      [255, 0, 0],
      [0, 0, 255],
    ])
  })

  test('a prompt that names nothing gives an abstract composition, the same each time', () => {
    const scene = parseScene('melancholia', '1')
    expect(scene.understood).toEqual([])
    expect(scene.objects.length).toBeGreaterThan(5)
    expect(parseScene('melancholia', '1')).toEqual(scene)
    expect(parseScene('melancholia', '2')).not.toEqual(scene)
  })

  test('objects of a phrase, for drawing on a picture', () => {
    expect(parseObjects('two white clouds at the top')).toHaveLength(2)
    expect(parseObjects('a sense of wonder')).toEqual([])
  })

  test('every shape can be drawn', async () => {
    for (const shape of shapeNames) {
      const scene = parseScene('', '')
      const object = {
        shape,
        color: [200, 30, 30],
        x: 0.5,
        y: 0.5,
        size: 0.9,
        rotation: 0,
        isOutline: false,
        opacity: 1,
      } as const
      const background = { colors: [], isAcross: false }
      const svg = sceneSvg(
        { ...scene, background, objects: [object] },
        { width: 40, height: 40, foreign: 'box' },
      )
      const { pixels } = await drawSvg(svg)
      expect(
        pixels.some((value) => value !== 0),
        shape,
      ).toBe(true)
    }
  })

  test('hostile prompts give a drawable scene', async () => {
    for (const prompt of [
      '<svg>&"\u0000\ud800',
      '"<b>&</b>\u0001"',
      'circle '.repeat(4000),
      ''.padEnd(32_000, '星'),
    ]) {
      const scene = parseScene(prompt, '')
      const canvas = { width: 32, height: 32, foreign: 'box' } as const
      expect((await drawSvg(sceneSvg(scene, canvas))).width).toBe(32)
    }
  })
})

describe('text', () => {
  test('every printable character of ASCII has a glyph of its own', () => {
    const all = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
    for (const character of all) expect(typeof glyphsOf(character)[0], character).toBe('object')
    const drawn = all.map((character) => JSON.stringify(glyphsOf(character)))
    expect(new Set(drawn).size).toBe(95)
  })

  test('accents become strokes, other scripts stay characters', () => {
    expect(glyphsOf('é')).toHaveLength(1)
    expect(typeof glyphsOf('é')[0]).toBe('object')
    expect(glyphsOf('你')).toEqual(['你'])
  })

  test('lines fit, whatever the words are', () => {
    for (const text of ['the quick brown fox', 'x'.repeat(200), 'one\ntwo'])
      for (const line of wrapText(text, 10, 80))
        expect(measureText(line, 10)).toBeLessThanOrEqual(80)
    expect(wrapText('a b', 10, 500)).toEqual(['a b'])
  })

  test('text shows without any font', async () => {
    expect(await foreignDrawingFor('plain')).toBe('box')
    const style = { size: 20, color: [0, 0, 0], foreign: 'box' } as const
    const svg = textSvg(['Hé 你'], { x: 60, y: 5 }, style)
    expect(svg).not.toContain('<text')
    const { pixels } = await drawSvg(
      `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40">${svg}</svg>`,
    )
    expect(pixels.some((value) => value > 200)).toBe(true)
  })
})

describe('generation', () => {
  async function generate(prompt: string, more: Partial<GenerateImagesInput> = {}) {
    const input: GenerateImagesInput = {
      prompt,
      negativePrompt: '',
      count: 1,
      seed: 0,
      size: { width: 64, height: 48 },
      isTransparent: false,
      watermark: false,
      finish: { format: 'png', isOpaque: false, previews: 0 },
      ...more,
    }
    const { pictures, understood } = await generateImages(input, { progress: () => {} })
    const decoded: Picture[] = []
    for (const { bytes } of pictures)
      decoded.push(await decodePicture(bytes, { param: 'image', pixelsMax: 1e6 }))
    return { decoded, pictures, understood }
  }

  test('the colours asked for are there', async () => {
    const { decoded, understood } = await generate('a red circle above a blue sea')
    const [picture] = decoded
    expect([picture!.width, picture!.height]).toEqual([64, 48])
    const at = (x: number, y: number) => [
      ...picture!.pixels.subarray((y * 64 + x) * 4, (y * 64 + x) * 4 + 3),
    ]
    expect(at(32, 14)).toEqual([255, 0, 0])
    expect(at(10, 46)).toEqual([0, 0, 255])
    expect(understood).toBe('A drawn composition of 1 circle, sea.')
  })

  test('variants differ and the same request gives the same pictures', async () => {
    const { pictures } = await generate('five stars', { count: 3 })
    expect(new Set(pictures.map(({ bytes }) => Buffer.from(bytes).toString('base64'))).size).toBe(3)
    const one = await generate('a red circle on a white background', { count: 3 })
    expect(
      new Set(one.pictures.map(({ bytes }) => Buffer.from(bytes).toString('base64'))).size,
    ).toBe(3)
    const again = await generate('five stars', { count: 3 })
    expect(again.pictures[2]!.bytes).toEqual(pictures[2]!.bytes)
  })

  test('a transparent background, a watermark, a negative prompt', async () => {
    const clear = await generate('a red circle', { isTransparent: true })
    expect(clear.decoded[0]!.pixels[3]).toBe(0)
    const plain = await generate('a red circle')
    const marked = await generate('a red circle', { watermark: true })
    expect(marked.pictures[0]!.bytes).not.toEqual(plain.pictures[0]!.bytes)
    const without = await generate('a red circle and a blue square', { negativePrompt: 'square' })
    const blue = without.decoded[0]!.pixels.some(
      (value, index) =>
        index % 4 === 2 && value === 255 && without.decoded[0]!.pixels[index - 2] === 0,
    )
    expect(blue).toBe(false)
  })

  test('an abstract composition is called one', async () => {
    expect((await generate('melancholia')).understood).toMatch(
      /^Nothing in the prompt could be drawn/,
    )
  })
})
