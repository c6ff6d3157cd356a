import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { formatHex, type Rgb, readableOn } from './colors.ts'
import { layOver, type Picture, pictureOf, type Size, transparent } from './picture.ts'

/** An image of one color; a transparent one without a color. */
export async function plainPicture(
  color: Rgb | undefined,
  { width, height }: Size,
): Promise<Picture> {
  const background = color === undefined ? transparent : formatHex(color)
  return pictureOf(sharp({ create: { width, height, channels: 4, background } }))
}

export interface TextStyle {
  readonly color: Rgb
  /** 0 to 1. Default 1. */
  readonly opacity?: number
  /** Height of a line as a part of the image's shorter side; smaller if the text would not fit. Default 1/7. */
  readonly part?: number
  /** Whether a band behind the lines keeps them readable on any background. Default false. */
  readonly hasBand?: boolean
  /** Where the text is: in the middle, which is the default, or in the bottom right corner. */
  readonly place?: 'center' | 'corner'
}

const fontFile = fileURLToPath(
  import.meta.resolve('@expo-google-fonts/cousine/700Bold/Cousine_700Bold.ttf'),
)
/** In pixels. */
const fontSizeMin = 6

/** Writes a text on an image, in lines that fit. Its font is Cousine, which need not be installed. */
export async function writeText(
  picture: Picture,
  text: string,
  style: TextStyle,
): Promise<Picture> {
  const { width, height } = picture
  const room = { width: Math.ceil(width * 0.9), height: Math.ceil(height * 0.9) }
  // A character takes up to 1.5 times the square of its size, in scripts that are as wide as they are high.
  const sizeFitting = Math.sqrt((room.width * room.height) / (1.5 * text.length))
  const size = Math.max(
    fontSizeMin,
    Math.min(Math.min(width, height) * (style.part ?? 1 / 7), sizeFitting),
  )
  const lines = sharp({
    text: {
      text: markupOf(text, style),
      font: `Cousine Bold ${size}`,
      fontfile: fontFile,
      width: room.width,
      align: 'center',
      wrap: 'word-char',
      rgba: true,
    },
  })
  const written = await pictureOf(
    lines.resize({ ...room, fit: 'inside', withoutEnlargement: true }),
  ).catch(unlessBlank)
  if (written === undefined) return picture
  const [right, below] = [width - written.width, height - written.height]
  const edge = Math.round(Math.min(width, height) * 0.05)
  const at =
    style.place === 'corner'
      ? { left: Math.max(0, right - edge), top: Math.max(0, below - edge) }
      : { left: right >> 1, top: below >> 1 }
  return layOver(picture, written, at)
}

function unlessBlank(thrown: unknown): undefined {
  if (!(thrown instanceof Error) || !thrown.message.includes('no text to render')) throw thrown
}

/** Pango markup. */
function markupOf(text: string, { color, opacity = 1, hasBand = false }: TextStyle): string {
  const alpha = Math.round(opacity * 100)
  const band = hasBand ? ` background="${formatHex(readableOn(color))}" bgalpha="${alpha}%"` : ''
  const shown = text.replaceAll(/[<>&\p{Cc}\p{Cs}]/gu, (character) =>
    /[<>&]/.test(character) ? `&#${character.charCodeAt(0)};` : ' ',
  )
  return `<span foreground="${formatHex(color)}" alpha="${alpha}%"${band}>${shown}</span>`
}
