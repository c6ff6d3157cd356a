/** Aspect ratios that Gemini's image models support (Gemini API, image generation guide). */
const geminiRatios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9']

/** Aspect ratios that Imagen supports. */
const imagenRatios = ['1:1', '3:4', '4:3', '9:16', '16:9']

export interface ImageShape {
  readonly aspectRatio: string
  /** 1K, 2K or 4K: the approximate length of the longer side. */
  readonly imageSize: string
}

/** The aspect ratio and size for a size such as `1536x1024`; undefined if the models do not support its aspect ratio. */
export function imageShape(size: string, family: 'gemini' | 'imagen'): ImageShape | undefined {
  const [width = 0, height = 0] = size.split(/[x*:]/).map(Number)
  const divisor = greatestDivisor(width, height)
  const aspectRatio = `${width / divisor}:${height / divisor}`
  const known = family === 'gemini' ? geminiRatios : imagenRatios
  if (!known.includes(aspectRatio)) return undefined
  const edge = Math.max(width, height)
  return { aspectRatio, imageSize: edge > 3000 ? '4K' : edge > 1600 ? '2K' : '1K' }
}

function greatestDivisor(left: number, right: number): number {
  return right === 0 ? Math.max(1, left) : greatestDivisor(right, left % right)
}
