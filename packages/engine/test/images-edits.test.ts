import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { GatewayError } from '../../contract/src/core/errors.ts'
import { type EditImagesInput, editImages } from '../src/images/edit-images.ts'
import { decodePicture, type Picture } from '../src/images/picture.ts'

const finish = { format: 'png', isOpaque: false, previews: 0 } as const

/** A white picture of 80 by 60 with a red block in the left half. */
const source = await sharp({
  create: { width: 80, height: 60, channels: 3, background: '#fff' },
})
  .composite([
    {
      input: { create: { width: 20, height: 20, channels: 3, background: '#e01010' } },
      left: 10,
      top: 20,
    },
  ])
  .png()
  .toBuffer()

async function edit(instruction: string, more: Partial<EditImagesInput> = {}) {
  return editImages(
    {
      images: [{ bytes: source, param: 'image' }],
      prompt: instruction,
      negativePrompt: '',
      count: 1,
      watermark: false,
      isTransparent: false,
      finish,
      ...more,
    },
    { progress: () => {} },
  )
}

async function decode(bytes: Uint8Array): Promise<Picture> {
  return decodePicture(bytes, { param: 'image', pixelsMax: 1_000_000 })
}

async function result(instruction: string, more: Partial<EditImagesInput> = {}): Promise<Picture> {
  const { pictures } = await edit(instruction, more)
  return decode(pictures[0]!.bytes)
}

function at({ width, pixels }: Picture, x: number, y: number): number[] {
  return [...pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)]
}

function meanOf({ pixels }: Picture): number {
  return pixels.reduce((sum, value) => sum + value, 0) / pixels.length
}

async function refusal(work: Promise<unknown>): Promise<GatewayError> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(thrown).toBeInstanceOf(GatewayError)
  return thrown as GatewayError
}

describe('image edits', () => {
  test('grayscale removes all color', async () => {
    const [red, green, blue] = at(await result('grayscale'), 20, 30)
    expect(red).toBe(green)
    expect(green).toBe(blue)
  })

  test('a right-angle rotation turns the content and swaps the sides', async () => {
    const turned = await result('rotate 90 degrees clockwise')
    expect([turned.width, turned.height]).toEqual([60, 80])
    expect(at(turned, 30, 20)).toEqual([224, 16, 16, 255])
  })

  test('other rotations have transparent corners', async () => {
    const turned = await result('rotate 30 degrees')
    expect(turned.width).toBeGreaterThan(80)
    expect(at(turned, 0, 0)[3]).toBe(0)
  })

  test('flip, crop, resize', async () => {
    expect(at(await result('flip horizontally'), 60, 30)).toEqual([224, 16, 16, 255])
    const middle = await result('crop to 40x60')
    expect([middle.width, middle.height]).toEqual([40, 60])
    expect(at(middle, 5, 30)).toEqual([224, 16, 16, 255])
    const square = await result('crop to a square')
    expect([square.width, square.height]).toEqual([60, 60])
    const small = await result('resize to 50%')
    expect([small.width, small.height]).toEqual([40, 30])
    const large = await result('scale to 999 %, scale to 999 %')
    expect(large.width / large.height).toBeCloseTo(80 / 60, 2)
  })

  test('invert', async () => {
    expect(at(await result('invert the colours'), 70, 50)).toEqual([0, 0, 0, 255])
  })

  test('a watermark is drawn in place', async () => {
    const plain = await decode(source)
    const { pixels } = await result('resize to 100%', { watermark: true })
    const rows = new Set<number>()
    for (const [index, value] of pixels.entries())
      if (value !== plain.pixels[index]) rows.add(Math.floor(index / 320))
    expect(rows.size).toBeGreaterThan(0)
    expect(Math.min(...rows)).toBeGreaterThan(40)
  })

  test.each(['blur', 'invert'])('%s changes pixels', async (instruction) => {
    const { pictures, understood } = await edit(instruction)
    expect(understood).not.toContain('No edit was understood')
    const { width, height, pixels } = await decode(pictures[0]!.bytes)
    const same = Buffer.compare(pixels, (await decode(source)).pixels) === 0
    expect(same && width === 80 && height === 60).toBe(false)
  })

  test('a one-pixel image survives every effect in every format', async () => {
    const dot = await sharp({ create: { width: 1, height: 1, channels: 3, background: '#38f' } })
      .png()
      .toBuffer()
    const all = 'grayscale, blur, invert, crop to 0x0, flip, resize to 0%, rotate 33 degrees'
    for (const format of ['png', 'jpeg', 'webp'] as const) {
      const images = [{ bytes: dot, param: 'image' }]
      const { pictures } = await edit(all, { images, finish: { ...finish, format, previews: 3 } })
      expect(pictures[0]!.width).toBeGreaterThan(0)
    }
  })

  test('bounds the size of the result', async () => {
    const growing = Array.from({ length: 24 }, (_, index) => `rotate ${30 + index}°`).join(', ')
    const { pictures } = await edit(growing, { count: 10 })
    for (const { width, height } of pictures)
      expect(width * height).toBeLessThanOrEqual(16_000_000 / 240)
  })

  test('reports a source that was scaled down', async () => {
    const large = await sharp({
      create: { width: 2400, height: 2000, channels: 3, background: '#38f' },
    })
      .png()
      .toBuffer()
    const { understood, pictures } = await edit('grayscale', {
      images: [{ bytes: large, param: 'image' }],
    })
    expect(understood).toContain('Worked on at most 4.2 megapixels.')
    expect(pictures[0]!.width * pictures[0]!.height).toBeLessThanOrEqual(4_194_304)
  })

  test('variants differ, and the first is the plain result', async () => {
    const { pictures } = await edit('blur', { count: 4 })
    const alone = await edit('blur')
    expect(pictures[0]!.bytes).toEqual(alone.pictures[0]!.bytes)
    expect(new Set(pictures.map(({ bytes }) => Buffer.from(bytes).toString('base64'))).size).toBe(4)
    const gray = await edit('grayscale', { count: 10 })
    expect(
      new Set(gray.pictures.map(({ bytes }) => Buffer.from(bytes).toString('base64'))).size,
    ).toBe(10)
    const turned = await edit('rotate 90', { count: 3 })
    const means = await Promise.all(
      turned.pictures.map(async ({ bytes }) => meanOf(await decode(bytes))),
    )
    expect(new Set(means).size).toBe(3)
  })

  test('a negative prompt excludes operations and is reported', async () => {
    const { understood, pictures } = await edit('grayscale and rotate 90', {
      negativePrompt: 'rotation',
    })
    expect(understood).toBe('Done: grayscale. Left out, as the negative prompt asks: rotate 90.')
    expect(pictures[0]!.width).toBe(80)
  })

  test('an instruction without known operations changes nothing and is reported', async () => {
    const { understood, pictures } = await edit('make her smile')
    expect((await decode(pictures[0]!.bytes)).pixels).toEqual((await decode(source)).pixels)
    expect(understood).toBe(
      'No edit was understood; the picture is unchanged. Not understood and not done: make her smile.',
    )
  })

  test('combines several images', async () => {
    const blue = await sharp({ create: { width: 30, height: 30, channels: 3, background: '#00f' } })
      .png()
      .toBuffer()
    const images = [
      { bytes: source, param: 'image[0]' },
      { bytes: blue, param: 'image[1]' },
    ]
    const beside = await result('side by side', { images })
    expect([beside.width, beside.height]).toEqual([140, 60])
    expect(at(beside, 120, 30)).toEqual([0, 0, 255, 255])
    expect((await edit('grayscale', { images })).understood).toBe(
      'Done: the pictures set side by side; grayscale.',
    )
  })

  test('a mask limits the edit to its transparent part', async () => {
    const left = {
      create: {
        width: 40,
        height: 60,
        channels: 4 as const,
        background: { r: 0, g: 0, b: 0, alpha: 1 },
      },
    }
    const mask = await sharp({
      create: { width: 80, height: 60, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
    })
      .composite([{ input: left, left: 0, top: 0 }])
      .png()
      .toBuffer()
    const masked = await result('invert', { mask: { bytes: mask, param: 'mask' } })
    expect(at(masked, 20, 5)).toEqual([255, 255, 255, 255])
    expect(at(masked, 60, 5)).toEqual([0, 0, 0, 255])
  })

  test('rejects a mask of another size or without transparency', async () => {
    const square = await sharp({
      create: { width: 60, height: 60, channels: 4, background: '#0000' },
    })
      .png()
      .toBuffer()
    const shape = await refusal(edit('invert', { mask: { bytes: square, param: 'mask' } }))
    expect(shape.details.param).toBe('mask')
    const full = await refusal(edit('invert', { mask: { bytes: source, param: 'mask' } }))
    expect(full.message).toContain('no transparent pixel')
  })

  test('applies size, format and background to the result', async () => {
    const sized = await edit('grayscale', { size: { width: 64, height: 64 } })
    expect([sized.pictures[0]!.width, sized.pictures[0]!.height]).toEqual([64, 64])
    const corners = 'rotate 30 degrees'
    const jpeg = await edit(corners, { finish: { ...finish, format: 'jpeg' } })
    expect((await sharp(jpeg.pictures[0]!.bytes).metadata()).format).toBe('jpeg')
    expect(jpeg.pictures[0]!.isOpaque).toBe(true)
    const webp = await edit(corners, { finish: { ...finish, format: 'webp' } })
    expect(webp.pictures[0]!.isOpaque).toBe(false)
    const opaque = await edit(corners, { finish: { ...finish, isOpaque: true } })
    expect(opaque.pictures[0]!.isOpaque).toBe(true)
    const uncut = await edit('grayscale', { isTransparent: true })
    expect(uncut.pictures[0]!.isOpaque).toBe(true)
    expect(uncut.understood).toContain('The background was not cut out.')
  })

  test('previews go from coarse to fine in the size of the result', async () => {
    const { pictures } = await edit('grayscale', { finish: { ...finish, previews: 2 } })
    expect(pictures[0]!.previews).toHaveLength(2)
    const final = await decode(pictures[0]!.bytes)
    const distances: number[] = []
    for (const bytes of pictures[0]!.previews) {
      const preview = await decode(bytes)
      expect([preview.width, preview.height]).toEqual([80, 60])
      distances.push(
        preview.pixels.reduce(
          (sum, value, index) => sum + Math.abs(value - final.pixels[index]!),
          0,
        ),
      )
    }
    expect(distances[0]).toBeGreaterThan(distances[1]!)
  })
})
