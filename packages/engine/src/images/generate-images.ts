import type { Task } from '../workers/task.ts'
import { drawWatermark } from './apply-operations.ts'
import { mix } from './colors.ts'
import { sceneSvg } from './draw-scene.ts'
import { foreignDrawingFor } from './draw-text.ts'
import type { ImagesOutput } from './edit-images.ts'
import { type Finish, type FinishedPicture, finishPicture } from './finish-picture.ts'
import { parseScene } from './parse-scene.ts'
import { drawSvg, type Picture } from './picture.ts'
import { randomFrom } from './random.ts'
import type { Scene } from './scene.ts'

export interface GenerateImagesInput {
  readonly prompt: string
  readonly negativePrompt: string
  /** How many variants, 1 to 10. */
  readonly count: number
  readonly seed: number
  readonly size: { readonly width: number; readonly height: number }
  /** Leaves the background out. */
  readonly isTransparent: boolean
  readonly watermark: boolean
  readonly finish: Finish
}

/** Composes pictures from a prompt: what it names of shapes, things, colours, counts, places and quoted texts. */
export const generateImages: Task<GenerateImagesInput, ImagesOutput> = async (
  input,
  { progress },
) => {
  const finished: FinishedPicture[] = []
  let understood = ''
  for (let variant = 0; variant < input.count; variant += 1) {
    const scene = varied(composeScene(input, `${input.seed + variant}`), variant)
    if (variant === 0) understood = describeScene(scene)
    const picture = await drawScene(scene, input.size)
    const marked = input.watermark ? await drawWatermark(picture) : picture
    finished.push(await finishPicture(marked, input.finish))
    progress((variant + 1) / input.count)
  }
  return { pictures: finished, understood, inputPixels: 0 }
}

function composeScene(
  { prompt, negativePrompt, isTransparent }: GenerateImagesInput,
  seed: string,
): Scene {
  const scene = withoutUnwanted(parseScene(prompt, seed), negativePrompt)
  return isTransparent ? { ...scene, background: { colors: [], isAcross: false } } : scene
}

/** The first variant is the plain one; in the next, things are a little elsewhere, or the light is another. */
function varied(scene: Scene, variant: number): Scene {
  if (variant === 0) return scene
  const random = randomFrom(scene.seed)
  const step = (reach: number): number => (random() - 0.5) * 2 * reach
  const objects = scene.objects.map((object) => ({
    ...object,
    x: object.x + step(0.05),
    y: object.y + step(0.04),
    size: object.size * (1 + step(0.15)),
  }))
  const light = objects.length === 0 ? 0.03 * variant : 0
  const colors = scene.background.colors.map((color) => mix(color, [255, 255, 255], light))
  return { ...scene, objects, background: { ...scene.background, colors } }
}

/** Takes out of a scene what a negative prompt names. */
export function withoutUnwanted(scene: Scene, negativePrompt: string): Scene {
  if (negativePrompt.trim() === '') return scene
  const unwanted = parseScene(negativePrompt, '')
  if (unwanted.understood.length === 0 && !/\b(?:text|words|letters)\b/i.test(negativePrompt))
    return scene
  const shapes = new Set(
    unwanted.understood.length > 0 ? unwanted.objects.map(({ shape }) => shape) : [],
  )
  const kinds = new Set(unwanted.grounds.map(({ kind }) => kind))
  return {
    ...scene,
    objects: scene.objects.filter(({ shape }) => !shapes.has(shape)),
    grounds: scene.grounds.filter(({ kind }) => !kinds.has(kind)),
    weather: scene.weather.filter((kind) => !unwanted.weather.includes(kind)),
    texts: /\b(?:text|words|letters)\b/i.test(negativePrompt) ? [] : scene.texts,
  }
}

/** Draws a scene. `phase`: see sceneSvg. */
export async function drawScene(
  scene: Scene,
  size: { readonly width: number; readonly height: number },
  phase = 0,
): Promise<Picture> {
  const foreign = await foreignDrawingFor(...scene.texts.map(({ text }) => text))
  return drawSvg(sceneSvg(scene, { ...size, foreign }, phase))
}

function describeScene({ understood }: Scene): string {
  if (understood.length > 0)
    return `A drawn composition of ${understood.join(', ').slice(0, 1500)}.`
  return 'Nothing in the prompt could be drawn as a thing; an abstract composition that its letters decide.'
}
