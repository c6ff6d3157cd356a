import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { GatewayError } from '../../contract/src/core/errors.ts'
import { decodePicture, type Picture } from '../src/images/picture.ts'

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

async function decode(bytes: Uint8Array): Promise<Picture> {
  return decodePicture(bytes, { param: 'image', pixelsMax: 1_000_000 })
}

function at({ width, pixels }: Picture, x: number, y: number): number[] {
  return [...pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)]
}

async function refusal(work: Promise<unknown>): Promise<GatewayError> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(thrown).toBeInstanceOf(GatewayError)
  return thrown as GatewayError
}

describe('decodes', () => {
  const base = sharp(source)

  test.each([
    ['png', () => base.clone().png().toBuffer()],
    ['jpeg', () => base.clone().jpeg({ quality: 95 }).toBuffer()],
    ['webp', () => base.clone().webp({ lossless: true }).toBuffer()],
    ['gif', () => base.clone().gif().toBuffer()],
    ['tiff', () => base.clone().tiff().toBuffer()],
    ['avif', () => base.clone().avif({ lossless: true, effort: 0 }).toBuffer()],
  ])('%s', async (_format, make) => {
    const { width, height, pixels } = await decode(await make())
    expect([width, height]).toEqual([80, 60])
    expect(pixels).toHaveLength(80 * 60 * 4)
    const [red = 0, green = 255] = at({ width, height, pixels }, 20, 30)
    expect(red).toBeGreaterThan(200)
    expect(green).toBeLessThan(50)
  })

  test('applies the EXIF orientation', async () => {
    const tagged = await base.clone().jpeg().withMetadata({ orientation: 6 }).toBuffer()
    const { width, height } = await decode(tagged)
    expect([width, height]).toEqual([60, 80])
  })

  test('decodes the first frame of an animation', async () => {
    const frames = Buffer.concat([Buffer.alloc(4 * 4 * 3, 255), Buffer.alloc(4 * 4 * 3, 0)])
    const gif = await sharp(frames, { raw: { width: 4, height: 8, channels: 3, pageHeight: 4 } })
      .gif()
      .toBuffer()
    const { height, pixels } = await decode(gif)
    expect(height).toBe(4)
    expect(pixels[0]).toBe(255)
  })

  test('scales a large image down to the working size', async () => {
    const { width, height } = await decodePicture(source, { param: 'image', pixelsMax: 1200 })
    expect([width, height]).toEqual([40, 30])
  })

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a bitmap', Buffer.from('BM and nothing that is read')],
    ['text', Buffer.from('hello world, this is no image')],
    ['svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['a png cut short', source.subarray(0, 60)],
    ['a pdf', Buffer.from('%PDF-1.7\n%âãÏÓ')],
    ['only a signature', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
  ])('rejects %s with its param', async (name, bytes) => {
    const error = await refusal(
      decodePicture(bytes, { param: 'images[0].image_url', pixelsMax: 1e6 }),
    )
    expect(error.status).toBe(400)
    expect(error.details.param).toBe('images[0].image_url')
    expect(error.message).toMatch(name === 'svg' ? /SVG images are not read/ : /not a readable/)
  })

  test('rejects more than 40 megapixels before decoding', async () => {
    const bomb = await sharp({
      create: { width: 8000, height: 5100, channels: 3, background: '#fff' },
    })
      .png()
      .toBuffer()
    const error = await refusal(decode(bomb))
    expect(error.message).toContain('40 megapixels')
  })
})
