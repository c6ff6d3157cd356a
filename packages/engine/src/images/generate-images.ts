import type { Task } from '../workers/task.ts'
import { drawWatermark } from './apply-edits.ts'
import { sceneSvg } from './draw-scene.ts'
import type { ImagesOutput } from './edit-images.ts'
import { type FinishedPicture, finishPicture } from './finish-picture.ts'
import type { DrawingOptions } from './image-options.ts'
import { parseScene, understoodOf } from './parse-scene.ts'
import { drawSvg, type Picture, type Size } from './picture.ts'
import type { Scene } from './scene.ts'

const usualSize: Size = { width: 1024, height: 1024 }

/** Draws the shapes, colours, counts and quoted texts that a prompt names, and reports the rest. */
export const generateImages: Task<DrawingOptions, ImagesOutput> = async (input, { progress }) => {
  const read = readScene(input)
  const scene = composeScene(read, input.prompt)
  const finished: FinishedPicture[] = []
  for (let variant = 0; variant < input.count; variant += 1) {
    const picture = await drawVariant(scene, variant, input)
    const marked = input.watermark ? await drawWatermark(picture) : picture
    finished.push(await finishPicture(marked, input.finish))
    progress((variant + 1) / input.count)
  }
  return { pictures: finished, understood: describeScene(read), inputPixels: 0 }
}

/** What a prompt names, without what a negative prompt names. */
function readScene({ prompt, negativePrompt, isTransparent }: DrawingOptions): Scene {
  const { background, ...scene } = parseScene(prompt)
  const unwanted = new Set(parseScene(negativePrompt).things.map(({ shape }) => shape))
  const isTextless = /\b(?:text|words|letters)\b/i.test(negativePrompt)
  return {
    ...scene,
    things: scene.things.filter(({ shape }) => !unwanted.has(shape)),
    texts: isTextless ? [] : scene.texts,
    background: isTransparent ? undefined : background,
  }
}

/** If nothing can be drawn, the image is a placeholder with the prompt's own words. */
export function composeScene(scene: Scene, prompt: string): Scene {
  if (scene.things.length > 0 || scene.texts.length > 0) return scene
  return { ...scene, texts: [{ text: prompt.trim().slice(0, 400) }] }
}

/** The first variant is the plain one; in further ones shapes are smaller, or the placeholder has a darker grey background. */
function drawVariant(
  scene: Scene,
  variant: number,
  { size = usualSize, isTransparent }: DrawingOptions,
): Promise<Picture> {
  const shade = scene.things.length === 0 ? 255 - variant * 8 : 255
  const background = isTransparent
    ? undefined
    : (scene.background ?? ([shade, shade, shade] as const))
  return drawSvg(sceneSvg({ ...scene, background }, size, { fill: 0.8 * (1 - variant * 0.07) }))
}

function describeScene(scene: Scene): string {
  const understood = understoodOf(scene)
  if (understood.length === 0)
    return 'Nothing in the prompt could be drawn; the picture is a placeholder with its words.'
  const { leftOut } = scene
  const left = leftOut.length > 0 ? ` Left out: ${leftOut.join(', ').slice(0, 1000)}.` : ''
  return `Drawn: ${understood.join(', ').slice(0, 1500)}.${left}`
}
