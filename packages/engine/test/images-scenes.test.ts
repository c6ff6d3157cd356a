import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { plainPicture, writeText } from '../src/images/draw-text.ts'
import { generateImages } from '../src/images/generate-images.ts'
import type { DrawingOptions } from '../src/images/image-options.ts'
import { parseScene } from '../src/images/parse-scene.ts'
import { decodePicture, type Picture, type Size } from '../src/images/picture.ts'

async function written(text: string, size: Size, part?: number): Promise<Picture> {
  const style = { color: [0, 0, 0] as const, ...(part === undefined ? {} : { part }) }
  return writeText(await plainPicture(undefined, size), text, style)
}

describe('scenes parsed from a prompt', () => {
  test.each([
    ['a red circle', [255, 0, 0], undefined],
    ['A red circle above a blue sea', [255, 0, 0], [0, 0, 255]],
    ['a #00ff00 square and a purple triangle', [0, 255, 0], [128, 0, 128]],
    ['a red cat on a dark blue background', [0, 0, 139], [255, 0, 0]],
    ['a pink house on a pink canvas', [255, 192, 203], undefined],
    ['a redwood and a starry night', undefined, undefined],
  ])('have the colors that it names: %s', (prompt, background, ink) => {
    expect(parseScene(prompt)).toMatchObject({ background, ink, text: prompt, quotes: [] })
  })

  test('have a background and quoted text with color', () => {
    const scene = parseScene('a picture on a pink background, "Ahoy" in red text')
    expect(scene).toEqual({
      background: [255, 192, 203],
      ink: [255, 0, 0],
      text: 'Ahoy',
      quotes: ['Ahoy'],
      leftOut: [],
    })
    const green = parseScene('text "Sluice" in green on black')
    expect(green).toMatchObject({ ink: [0, 128, 0], background: [0, 0, 0] })
    const word = parseScene('The word "Hello" in green on a white background')
    expect(word).toMatchObject({ text: 'Hello', ink: [0, 128, 0], leftOut: [] })
    expect(parseScene('"Sale" in red')).toMatchObject({ background: undefined, ink: [255, 0, 0] })
    expect(parseScene('"One" and "Two"').text).toBe('One Two')
  })

  test('report what is not drawn, with its color', () => {
    const { leftOut } = parseScene(
      'A cat sitting on a red chair next to "Ahoy" on a green background, at sunset, soft light',
    )
    expect(leftOut).toEqual(['cat sitting on a red chair next', 'sunset', 'soft light'])
  })

  test('use no color of the negative prompt', () => {
    expect(parseScene('a red and blue flag', 'no Red')).toMatchObject({
      background: [0, 0, 255],
      ink: undefined,
    })
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
      '\u200b',
      '"\u0000"',
      'a\n'.repeat(4000),
    ]) {
      const { text } = parseScene(prompt)
      expect((await written(text, { width: 32, height: 32 })).width).toBe(32)
    }
  })
})

const drawnText = (text: string) => written(text, { width: 120, height: 40 }, 0.75)

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

  test.each([
    'the quick brown fox',
    'x'.repeat(200),
    'one\ntwo',
    'wide',
    'iiiii',
    'MMMMM',
    '你好',
    '星'.repeat(200),
  ])('stays on the canvas: %s', async (text) => {
    for (const size of [
      { width: 80, height: 200 },
      { width: 64, height: 512 },
      { width: 200, height: 100 },
    ]) {
      const { width, height, pixels } = await written(text, size)
      const inked = Array.from(pixels.entries()).filter(([at, value]) => at % 4 === 3 && value > 0)
      const columns = inked.map(([at]) => (at >> 2) % width)
      const rows = inked.map(([at]) => Math.floor((at >> 2) / width))
      expect(Math.max(...columns) - Math.min(...columns)).toBeGreaterThan(10)
      expect(Math.min(...columns, ...rows)).toBeGreaterThan(0)
      expect(Math.max(...columns)).toBeLessThan(width - 1)
      expect(Math.max(...rows)).toBeLessThan(height - 1)
    }
  })

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
    const { decoded, understood } = await generate(
      'a red circle above a cat on a blue background',
      {
        size: { width: 640, height: 480 },
      },
    )
    const [picture] = decoded
    expect([picture!.width, picture!.height]).toEqual([640, 480])
    const colors = new Set<string>()
    for (let index = 0; index < picture!.pixels.length; index += 4)
      colors.add(picture!.pixels.subarray(index, index + 3).join())
    expect([...colors]).toEqual(expect.arrayContaining(['255,0,0', '0,0,255']))
    expect([...picture!.pixels.subarray(0, 3)]).toEqual([0, 0, 255])
    expect(understood).toBe(
      'Drawn: the words of the prompt, the background color, the text color. Left out: red circle above a cat.',
    )
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
    const without = await generate('a red circle and a blue square', { negativePrompt: 'blue' })
    const blue = without.decoded[0]!.pixels.some(
      (value, index) =>
        index % 4 === 2 && value === 255 && without.decoded[0]!.pixels[index - 2] === 0,
    )
    expect(blue).toBe(false)
  })

  test('do not report an omitted background as drawn', async () => {
    const clear = await generate('"Ahoy" in red on a blue background', { isTransparent: true })
    expect(clear.understood).toBe('Drawn: the text "Ahoy", the text color.')
  })

  test('without anything drawable are placeholders and reported as such', async () => {
    const { decoded, understood } = await generate('melancholia')
    expect(understood).toMatch(/^Nothing in the prompt could be drawn; .* placeholder/)
    expect(decoded[0]!.pixels.some((value) => value < 60)).toBe(true)
  })
})
