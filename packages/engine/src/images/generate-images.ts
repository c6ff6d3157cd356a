import type { Task } from '../workers/task.ts'
import { drawWatermark } from './apply-operations.ts'
import { sceneSvg } from './draw-scene.ts'
import type { ImagesOutput } from './edit-images.ts'
import { type Finish, type FinishedPicture, finishPicture } from './finish-picture.ts'
import { layOut } from './layout.ts'
import { parseScene } from './parse-scene.ts'
import { drawSvg, type Picture, type Size } from './picture.ts'
import type { Scene } from './scene.ts'

export interface GenerateImagesInput {
  readonly prompt: string
  readonly negativePrompt: string
  /** How many variants, 1 to 10. */
  readonly count: number
  readonly size: Size
  /** Leaves the background out. */
  readonly isTransparent: boolean
  readonly watermark: boolean
  readonly finish: Finish
}

/** Draws what a prompt names of shapes, colours, counts, places, quoted texts and bar charts, and says the rest. */
export const generateImages: Task<GenerateImagesInput, ImagesOutput> = async (
  input,
  { progress },
) => {
  const scene = composeScene(input)
  const finished: FinishedPicture[] = []
  for (let variant = 0; variant < input.count; variant += 1) {
    const picture = await drawScene(varied(scene, variant), input.size)
    const marked = input.watermark ? await drawWatermark(picture) : picture
    finished.push(await finishPicture(marked, input.finish))
    progress((variant + 1) / input.count)
  }
  return { pictures: finished, understood: describeScene(scene), inputPixels: 0 }
}

/** A scene of a prompt. Where nothing can be drawn it is a placeholder: the prompt's own words on a plain ground. */
export function composeScene({
  prompt,
  negativePrompt,
  isTransparent,
}: Pick<GenerateImagesInput, 'prompt' | 'negativePrompt' | 'isTransparent'>): Scene {
  const read = withoutUnwanted(parseScene(prompt), negativePrompt)
  const scene = isTransparent ? { ...read, background: undefined } : read
  if (read.things.length > 0 || read.texts.length > 0 || read.chart !== undefined) return scene
  const text = prompt.trim().slice(0, 400)
  return { ...scene, texts: [{ text }] }
}

/** Takes out of a scene what a negative prompt names. */
function withoutUnwanted(scene: Scene, negativePrompt: string): Scene {
  const unwanted = new Set(parseScene(negativePrompt).things.map(({ shape }) => shape))
  const isTextless = /\b(?:text|words|letters)\b/i.test(negativePrompt)
  const things = scene.things.filter(({ shape }) => !unwanted.has(shape))
  const gone = [
    ...scene.things.filter(({ shape }) => unwanted.has(shape)).map(({ words }) => words),
    ...(isTextless ? scene.texts.map(({ text }) => `the text "${text}"`) : []),
  ]
  return {
    ...scene,
    things,
    texts: isTextless ? [] : scene.texts,
    understood: scene.understood.filter((phrase) => !gone.includes(phrase)),
  }
}

/** The first variant is the plain one; in each next, things are smaller or the placeholder lies on a darker gray. */
function varied(scene: Scene, variant: number): Scene {
  if (variant === 0) return scene
  const shade = 255 - variant * 8
  return {
    ...scene,
    things: scene.things.map((thing) => ({ ...thing, fill: thing.fill * (1 - variant * 0.07) })),
    background:
      scene.things.length > 0 || scene.background === undefined
        ? scene.background
        : [shade, shade, shade],
  }
}

async function drawScene(scene: Scene, size: Size): Promise<Picture> {
  return drawSvg(sceneSvg(scene, layOut(scene, size), size))
}

function describeScene({ understood, leftOut }: Scene): string {
  if (understood.length === 0)
    return 'Nothing in the prompt could be drawn; the picture is a placeholder with its words.'
  const left = leftOut.length > 0 ? ` Left out: ${leftOut.join(', ').slice(0, 1000)}.` : ''
  return `Drawn: ${understood.join(', ').slice(0, 1500)}.${left}`
}
