import type { Task } from '../workers/task.ts'
import { readableOn, white } from './colors.ts'
import { plainPicture, writeText } from './draw-text.ts'
import { finishVariants, type ImagesOutput } from './edit-images.ts'
import type { DrawingOptions } from './image-options.ts'
import { parseScene, type Scene } from './parse-scene.ts'
import type { Size } from './picture.ts'

const usualSize: Size = { width: 1024, height: 1024 }

/** Draws the quoted texts of a prompt, or its words, in the colors that it names, and reports the rest. */
export const generateImages: Task<DrawingOptions, ImagesOutput> = async (input, { progress }) => {
  const { prompt, negativePrompt, isTransparent, size = usualSize } = input
  const read = parseScene(prompt, negativePrompt)
  const { background, ink } = read
  const scene = isTransparent ? { ...read, background: undefined, ink: ink ?? background } : read
  const ground = scene.background ?? white
  const plain = await plainPicture(isTransparent ? undefined : ground, size)
  const picture = await writeText(plain, read.text, { color: scene.ink ?? readableOn(ground) })
  const pictures = await finishVariants(picture, input, progress)
  return { pictures, understood: describeScene(scene), inputPixels: 0 }
}

function describeScene({ background, ink, quotes, leftOut }: Scene): string {
  const colors = [
    ...(background === undefined ? [] : ['the background color']),
    ...(ink === undefined ? [] : ['the text color']),
  ]
  if (quotes.length + colors.length === 0)
    return 'Nothing in the prompt could be drawn; the picture is a placeholder with its words.'
  const texts =
    quotes.length > 0 ? quotes.map((text) => `the text "${text}"`) : ['the words of the prompt']
  const left = leftOut.length > 0 ? ` Left out: ${leftOut.join(', ').slice(0, 1000)}.` : ''
  return `Drawn: ${[...texts, ...colors].join(', ').slice(0, 1500)}.${left}`
}
