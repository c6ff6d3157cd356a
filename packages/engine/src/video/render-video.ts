import h264 from 'h264-mp4-encoder'
import { sceneSvg } from '../images/draw-scene.ts'
import { composeScene } from '../images/generate-images.ts'
import { parseScene } from '../images/parse-scene.ts'
import {
  decodePicture,
  drawSvg,
  layOver,
  type Picture,
  pictureOf,
  pipelineOf,
} from '../images/picture.ts'
import type { Scene } from '../images/scene.ts'
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
  const read = parseScene(prompt)
  const scene =
    image === undefined
      ? { ...composeScene(read, prompt), background: read.background ?? ([255, 255, 255] as const) }
      : { ...read, background: undefined }
  const draw = (time: number): Promise<Picture> => {
    const wave = (index: number): number => Math.sin(2 * Math.PI * (time * 2 + index * 0.17))
    // Shapes sway and texts fade in, so that a video is never a still image.
    const look = {
      turn: (index: number) => 15 * wave(index),
      opacity: Math.min(1, time * 4 + 0.05),
    }
    return drawSvg(sceneSvg(scene, plan, look))
  }
  if (image === undefined) return draw
  const still = await filledWith(image, plan)
  return isEmpty(scene)
    ? () => Promise.resolve(still)
    : async (time) => layOver(still, await draw(time))
}

function isEmpty({ things, texts }: Scene): boolean {
  return things.length === 0 && texts.length === 0
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
