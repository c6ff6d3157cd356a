import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { sceneSvg } from '../src/images/draw-scene.ts'
import { measureText, textSvg, wrapText } from '../src/images/draw-text.ts'
import { generateImages } from '../src/images/generate-images.ts'
import type { DrawingOptions } from '../src/images/image-options.ts'
import { parseScene } from '../src/images/parse-scene.ts'
import { decodePicture, drawSvg, type Picture, type Size } from '../src/images/picture.ts'
import { shapeNames } from '../src/images/shapes.ts'

function things(prompt: string): string[] {
  return parseScene(prompt).things.map(({ shape, count }) => `${count} ${shape}`)
}

const canvas = { width: 200, height: 100 }

/** The centre and half the side of each shape, as the SVG has them. */
function shapesOf(prompt: string, size: Size = canvas) {
  const placed = /translate\(([\d.]+) ([\d.]+)\) rotate\(0\) scale\(([\d.]+)\)/g
  return [...sceneSvg(parseScene(prompt), size).matchAll(placed)].map((match) => {
    const [x = 0, y = 0, half = 0] = match.slice(1).map(Number)
    return { x, y, half }
  })
}

describe('scenes parsed from a prompt', () => {
  test.each([
    ['a red circle', ['1 circle']],
    ['three yellow stars and two crescents', ['3 star', '2 crescent']],
    ['a dozen rings', ['12 ring']],
    ['7 boxes', ['7 square']],
    ['some hexagons, a heart', ['3 hexagon', '1 heart']],
    ['999 squares', ['30 square']],
    ['a starry night', []],
  ])('%s', (prompt, expected) => {
    expect(things(prompt)).toEqual(expected)
  })

  test('assign colors to their own object', () => {
    const { things: read } = parseScene('a #00ff00 square, a purple triangle and a star')
    expect(read).toMatchObject([
      { shape: 'square', color: [0, 255, 0] },
      { shape: 'triangle', color: [128, 0, 128] },
      { shape: 'star', color: [255, 206, 50] },
    ])
  })

  test.each([
    'three blue circles and a yellow square on a white background',
    'two red circles and a green square',
    'a dozen huge stars in the bottom left corner',
    '30 squares, 30 circles, 30 hearts above 9 rings',
    'a huge arrow',
  ])('keep everything on the canvas: %s', (prompt) => {
    for (const size of [canvas, { width: 64, height: 512 }, { width: 300, height: 300 }]) {
      const shapes = shapesOf(prompt, size)
      expect(shapes.length).toBeGreaterThan(0)
      for (const { x, y, half } of shapes) {
        expect(Math.min(x, y)).toBeGreaterThanOrEqual(half)
        expect(x + half).toBeLessThanOrEqual(size.width)
        expect(y + half).toBeLessThanOrEqual(size.height)
      }
    }
  })

  test('do not overlap objects', () => {
    const objects = shapesOf('three blue circles and a yellow square', { width: 300, height: 300 })
    expect(objects).toHaveLength(4)
    for (const [index, one] of objects.entries())
      for (const other of objects.slice(index + 1))
        expect(Math.max(Math.abs(one.x - other.x), Math.abs(one.y - other.y))).toBeGreaterThan(
          one.half + other.half,
        )
  })

  test('have a background and quoted text with color', () => {
    const scene = parseScene('a circle on a pink background, "Ahoy" in red text')
    expect(scene.background).toEqual([255, 192, 203])
    expect(scene.texts).toEqual([{ text: 'Ahoy', color: [255, 0, 0] }])
    expect(scene.leftOut).toEqual([])
    const green = parseScene('text "Sluice" in green on black')
    expect(green.texts[0]!.color).toEqual([0, 128, 0])
    expect(green.background).toEqual([0, 0, 0])
    const word = parseScene('The word "Hello" in green on a white background')
    expect(word).toMatchObject({ texts: [{ text: 'Hello', color: [0, 128, 0] }], leftOut: [] })
  })

  test('place text below objects', () => {
    const shapes = shapesOf('a star with the word "Open"', { width: 300, height: 300 })
    expect(Math.max(...shapes.map(({ y, half }) => y + half))).toBeLessThan(0.8 * 300)
  })

  test('report what is not drawn, with its color', () => {
    const { things: drawn, leftOut } = parseScene(
      'A cat sitting on a red chair next to a blue circle at sunset, soft light',
    )
    expect(drawn.map(({ words }) => words)).toEqual(['a blue circle'])
    expect(leftOut).toEqual(['cat sitting on a red chair next', 'sunset', 'soft light'])
  })

  test('can draw every shape', async () => {
    for (const shape of shapeNames) {
      const thing = { shape, count: 1, color: [200, 30, 30], words: '' } as const
      const svg = sceneSvg(
        { background: undefined, things: [thing], texts: [] },
        { width: 40, height: 40 },
      )
      const { pixels } = await drawSvg(svg)
      expect(
        pixels.some((value) => value !== 0),
        shape,
      ).toBe(true)
    }
  })

  test('stay drawable for hostile prompts', async () => {
    for (const prompt of [
      '<svg>&"\u0000\ud800',
      '"<b>&</b>\u0001"',
      'circle '.repeat(4000),
      'a red '.repeat(4000),
      'the text '.repeat(4000),
      'in red "a" '.repeat(4000),
      ''.padEnd(32_000, '星'),
    ]) {
      const scene = parseScene(prompt)
      const svg = sceneSvg(scene, { width: 32, height: 32 })
      expect((await drawSvg(svg)).width).toBe(32)
    }
  })
})

async function drawnText(text: string): Promise<Picture> {
  const svg = textSvg([text], { x: 60, y: 10 }, { size: 20, color: [0, 0, 0] })
  return drawSvg(`<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40">${svg}</svg>`)
}

async function looks(characters: readonly string[]): Promise<readonly string[]> {
  const drawn = await Promise.all(characters.map(drawnText))
  return drawn.map(({ pixels }) => Buffer.from(pixels).toString('base64'))
}

describe('drawn text', () => {
  test('has a distinct glyph for every printable ASCII character', async () => {
    const all = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
    expect(new Set(await looks(all)).size).toBe(95)
  })

  test('includes accents', async () => {
    expect(new Set(await looks(['e', 'é', 'è', 'ñ', 'n', 'ß', 'ő'])).size).toBe(7)
  })

  test('wraps lines to the width', () => {
    for (const text of ['the quick brown fox', 'x'.repeat(200), 'one\ntwo'])
      for (const line of wrapText(text, 10, 80))
        expect(measureText(line, 10)).toBeLessThanOrEqual(80)
    expect(wrapText('a b', 10, 500)).toEqual(['a b'])
  })

  test.each(['wide', 'iiiii', 'MMMMM', '你好'])(
    'is at most as wide as measured: %s',
    async (text) => {
      const { width, pixels } = await drawnText(text)
      const columns = Array.from(pixels.entries())
        .filter(([index, value]) => index % 4 === 3 && value > 0)
        .map(([index]) => ((index - 3) / 4) % width)
      const drawn = Math.max(...columns) - Math.min(...columns) + 1
      expect(drawn).toBeGreaterThan(10)
      expect(drawn).toBeLessThanOrEqual(measureText(text, 20) + 1)
    },
  )

  test('needs no installed font', async () => {
    using folder = temporaryFolder()
    const config = join(folder.path, 'fonts.conf')
    writeFileSync(config, '<fontconfig></fontconfig>')
    const drawing = new URL('../src/images/generate-images.ts', import.meta.url).href
    const program = `
      const { generateImages } = await import('${drawing}')
      const input = { negativePrompt: '', count: 1, size: { width: 64, height: 64 }, finish: { format: 'png', previews: 0 } }
      const draw = (prompt) => generateImages({ ...input, prompt }, { progress() {} })
      for (const prompt of ['"A"', '"B"'])
        console.log(Buffer.from((await draw(prompt)).pictures[0].bytes).toString('base64'))`
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
      env: { FONTCONFIG_FILE: config },
    })
    const [first, second] = stdout.trim().split('\n')
    expect(first).not.toBe(second)
  })
})

describe('generated images', () => {
  async function generate(prompt: string, more: Partial<DrawingOptions> = {}) {
    const input: DrawingOptions = {
      prompt,
      negativePrompt: '',
      count: 1,
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

  test('contain the requested colors', async () => {
    const { decoded, understood } = await generate('a red circle above a cat on a blue background')
    const [picture] = decoded
    expect([picture!.width, picture!.height]).toEqual([64, 48])
    const at = (x: number, y: number) => [
      ...picture!.pixels.subarray((y * 64 + x) * 4, (y * 64 + x) * 4 + 3),
    ]
    expect(at(32, 24)).toEqual([255, 0, 0])
    expect(at(2, 46)).toEqual([0, 0, 255])
    expect(understood).toBe('Drawn: a red circle, the background colour. Left out: above a cat.')
  })

  test('vary between variants and are deterministic', async () => {
    const { pictures } = await generate('five stars', { count: 3 })
    expect(new Set(pictures.map(({ bytes }) => Buffer.from(bytes).toString('base64'))).size).toBe(3)
    const one = await generate('a red circle on a white background', { count: 3 })
    expect(
      new Set(one.pictures.map(({ bytes }) => Buffer.from(bytes).toString('base64'))).size,
    ).toBe(3)
    const again = await generate('five stars', { count: 3 })
    expect(again.pictures[2]!.bytes).toEqual(pictures[2]!.bytes)
  })

  test('support transparency, watermark and negative prompt', async () => {
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

  test('do not report removed objects as drawn', async () => {
    const without = await generate('a red circle above a blue square', { negativePrompt: 'square' })
    expect(without.understood).not.toContain('square')
    const clear = await generate('a red circle on a blue background', { isTransparent: true })
    expect(clear.understood).toBe('Drawn: a red circle.')
  })

  test('without anything drawable are placeholders and reported as such', async () => {
    const { decoded, understood } = await generate('melancholia')
    expect(understood).toMatch(/^Nothing in the prompt could be drawn; .* placeholder/)
    expect(decoded[0]!.pixels.some((value) => value < 60)).toBe(true)
  })
})
