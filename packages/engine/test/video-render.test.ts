import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { GatewayError } from '../../contract/src/core/errors.ts'
import { type ClipRequest, planClip } from '../src/video/clip-plan.ts'
import { renderVideo } from '../src/video/render-video.ts'
import { readMp4 } from './support/mp4-boxes.ts'

async function render(input: Partial<ClipRequest>) {
  const progress: number[] = []
  const rendered = await renderVideo(
    { prompt: 'a yellow sun rises over the sea', seconds: '1', size: '64x96', ...input },
    { progress: (done) => progress.push(done) },
  )
  return { ...rendered, progress }
}

describe('rendered videos', () => {
  test('are playable files of the requested size and length, with progress', async () => {
    const { video, thumbnail, progress } = await render({ seconds: '2' })
    const facts = readMp4(video)
    expect(facts.boxes[0]).toBe('ftyp')
    expect(facts.boxes).toEqual(expect.arrayContaining(['moov', 'mdat']))
    expect(facts).toMatchObject({ width: 64, height: 96, frames: 48 })
    expect(facts.seconds).toBeCloseTo(2, 2)
    expect(progress).toEqual(Array.from({ length: 48 }, (_, index) => (index + 1) / 48))
    const still = await sharp(thumbnail).metadata()
    expect([still.format, still.width, still.height]).toEqual(['webp', 64, 96])
  })

  test('differ by prompt and are deterministic', async () => {
    const [one, two, other] = [
      await render({}),
      await render({}),
      await render({ prompt: 'a cat' }),
    ]
    // mp4 headers carry the time of writing; the stills do not.
    expect(two.thumbnail).toEqual(one.thumbnail)
    expect(other.thumbnail).not.toEqual(one.thumbnail)
  })

  test('start from an image', async () => {
    const image = await sharp({
      create: { width: 50, height: 50, channels: 3, background: '#00f' },
    })
      .png()
      .toBuffer()
    const { thumbnail, video } = await render({ image, prompt: 'melancholia' })
    const { dominant } = await sharp(thumbnail).stats()
    expect(dominant.b).toBeGreaterThan(180)
    expect(dominant.r).toBeLessThan(60)
    // A still image takes less to encode than a text that fades in.
    const still = await render({ image, prompt: '\u200b' })
    expect(video.length).toBeGreaterThan(1.5 * still.video.length)
  })

  test('reject an invalid image as the caller’s error', async () => {
    const error = await render({ image: new Uint8Array([1, 2, 3]) }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(GatewayError)
    expect((error as GatewayError).details.param).toBe('input_reference')
  })
})

describe('frame rates', () => {
  test.each([
    ['720x1280', '4', 16, 64],
    ['1280x720', '12', 5, 60],
    ['1792x1024', '4', 8, 32],
    ['64x64', '60', 2, 120],
    ['2048x2048', '60', 1, 60],
    ['64x64', '1', 24, 24],
  ])('%s for %s seconds: %d frames a second', (size, seconds, framesPerSecond, frames) => {
    expect(planClip(size, seconds)).toMatchObject({
      framesPerSecond,
      frames,
      seconds: Number(seconds),
    })
  })

  test.each([
    ['65x64', '4', 'size'],
    ['62x64', '4', 'size'],
    ['64x2050', '4', 'size'],
    ['big', '4', 'size'],
    ['64x64', '0', 'seconds'],
    ['64x64', '61', 'seconds'],
    ['64x64', 'four', 'seconds'],
  ])('rejects %s for %s seconds', (size, seconds, param) => {
    const plan = () => planClip(size, seconds)
    expect(plan).toThrow(GatewayError)
    try {
      plan()
    } catch (thrown) {
      expect((thrown as GatewayError).details.param).toBe(param)
    }
  })
})
