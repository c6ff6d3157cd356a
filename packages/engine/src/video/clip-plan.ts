import { invalidRequest } from '@sluice/contract'

/** The parameters of a video request. */
export interface ClipRequest {
  readonly prompt: string
  /** "1" to "60". */
  readonly seconds: string
  /** Such as "720x1280". */
  readonly size: string
  /** The text is drawn on this image. */
  readonly image?: Uint8Array
}

/** Size, length and frames of a video. */
export interface ClipPlan {
  readonly width: number
  readonly height: number
  readonly seconds: number
  readonly framesPerSecond: number
  readonly frames: number
}

const sideMin = 64
const sideMax = 2048
const secondsMax = 60
const framesMax = 120
const framesPerSecondMax = 24
/** About ten seconds of work on one core: larger images get fewer frames. */
const pixelsMax = 60_000_000

/**
 * Plans a video of exactly this length. Throws invalid_request for a size other than two even sides of 64 to 2,048 pixels, or
 * a length other than 1 to 60 whole seconds.
 */
export function planClip(size: string, seconds: string): ClipPlan {
  const [, width = 0, height = 0] = (/^(\d{1,5})x(\d{1,5})$/.exec(size) ?? []).map(Number)
  const fits = (side: number): boolean => side >= sideMin && side <= sideMax && side % 2 === 0
  if (!fits(width) || !fits(height))
    throw invalidRequest(
      `Width and height must be even numbers from ${sideMin} to ${sideMax}, such as 720x1280`,
      'size',
    )
  const length = /^\d{1,4}$/.test(seconds) ? Number(seconds) : 0
  if (length < 1 || length > secondsMax)
    throw invalidRequest(`The built-in engine makes clips of 1 to ${secondsMax} seconds`, 'seconds')
  const affordable = Math.floor(Math.min(framesMax, pixelsMax / (width * height)) / length)
  const framesPerSecond = Math.min(framesPerSecondMax, Math.max(1, affordable))
  return { width, height, seconds: length, framesPerSecond, frames: framesPerSecond * length }
}
