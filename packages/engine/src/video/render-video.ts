import h264 from 'h264-mp4-encoder'
import { readableOn, white } from '../images/colors.ts'
import { plainPicture, writeText } from '../images/draw-text.ts'
import { parseScene } from '../images/parse-scene.ts'
import { decodePicture, layOver, type Picture, pictureOf, pipelineOf } from '../images/picture.ts'
import type { Task } from '../workers/task.ts'
import { type ClipPlan, type ClipRequest, planClip } from './clip-plan.ts'

export interface RenderedVideo {
  /** H.264 in an MP4 file. */
  readonly video: Uint8Array
  /** A frame from the middle, as WebP. */
  readonly thumbnail: Uint8Array
}

/** Renders a video from a prompt; the progress is the share of finished frames. Throws as planClip and decodePicture do. */
export const renderVideo: Task<ClipRequest, RenderedVideo> = async (input, { progress }) => {
  const plan = planClip(input.size, input.seconds)
  const frameAt = await createCamera(input, plan)
  const encoder = await openEncoder(plan)
  try {
    let thumbnail: Uint8Array | undefined
    // The next frame is drawn in libvips' threads while this one is encoded here.
    let next = frameAt(0)
    for (let index = 0; index < plan.frames; index += 1) {
      const frame = await next
      if (index + 1 < plan.frames) next = frameAt((index + 1) / Math.max(1, plan.frames - 1))
      encoder.addFrame(frame)
      if (index === plan.frames >> 1) thumbnail = await webpOf(frame)
      progress((index + 1) / plan.frames)
    }
    return { video: encoder.finish(), thumbnail: thumbnail ?? new Uint8Array() }
  } finally {
    encoder.dispose()
  }
}

/** Returns a function that gives the frame for a time from 0 to 1. */
async function createCamera(
  input: ClipRequest,
  plan: ClipPlan,
): Promise<(time: number) => Promise<Picture>> {
  const { prompt, image } = input
  const { background = white, ink: color = readableOn(background), text } = parseScene(prompt)
  const hasBand = image !== undefined
  const ground = hasBand ? await filledWith(image, plan) : await plainPicture(background, plan)
  const last = await writeText(ground, text, { color, hasBand })
  return async (time) => {
    // The text fades in over a quarter of the time, so that a video is never a still image.
    const part = time * 4 + 0.05
    if (part >= 1) return last
    const faint = pipelineOf(last).linear([1, 1, 1, part], [0, 0, 0, 0])
    return layOver(ground, await pictureOf(faint))
  }
}

/** An image cut to the size of the frame. */
async function filledWith(bytes: Uint8Array, { width, height }: ClipPlan): Promise<Picture> {
  const source = await decodePicture(bytes, { param: 'input_reference', pixelsMax: 4_000_000 })
  const filled = pipelineOf(source).resize({ width, height, fit: 'cover' })
  return pictureOf(filled.flatten({ background: '#000' }))
}

async function webpOf(frame: Picture): Promise<Uint8Array> {
  const small = { width: 640, height: 640, fit: 'inside', withoutEnlargement: true } as const
  return pipelineOf(frame).resize(small).removeAlpha().webp({ quality: 80 }).toBuffer()
}

async function openEncoder({ width, height, framesPerSecond }: ClipPlan) {
  const encoder = await h264.createH264MP4Encoder()
  encoder.width = width
  encoder.height = height
  encoder.frameRate = framesPerSecond
  encoder.speed = 5
  encoder.quantizationParameter = 26
  encoder.groupOfPictures = framesPerSecond * 2
  encoder.initialize()
  return {
    addFrame: ({ pixels }: Picture) => encoder.addFrameRgba(pixels),
    /** The whole file; no frame can be added after it. */
    finish(): Uint8Array {
      encoder.finalize()
      return encoder.FS.readFile(encoder.outputFilename)
    },
    dispose() {
      // All encoders of a thread share one file system in memory.
      encoder.FS.unlink(encoder.outputFilename)
      encoder.delete()
    },
  }
}
