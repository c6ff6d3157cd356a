import type { Picture } from './pixels.ts'

/**
 * Decodes an uncompressed Windows bitmap of 1, 4, 8, 24 or 32 bits a pixel (BITMAPINFOHEADER and later, [MS-WMF]
 * 2.2.2.3). Returns undefined where it is something else, run-length encoded or cut short; `pixelsMax` bounds
 * what is allocated.
 */
export function decodeBmp(bytes: Uint8Array, pixelsMax: number): Picture | undefined {
  const header = readHeader(bytes)
  if (header === undefined || header.width * header.height > pixelsMax) return undefined
  const { width, height, bits, offset, isTopDown } = header
  const stride = Math.ceil((width * bits) / 32) * 4
  if (offset + stride * height > bytes.length) return undefined
  const pixelAt = pixelReader(bytes, header)
  if (pixelAt === undefined) return undefined
  const pixels = new Uint8Array(width * height * 4)
  for (let y = 0; y < height; y += 1) {
    const row = offset + stride * (isTopDown ? y : height - 1 - y)
    for (let x = 0; x < width; x += 1) {
      const from = pixelAt(row, x)
      const to = (y * width + x) * 4
      pixels[to] = bytes[from + 2] ?? 0
      pixels[to + 1] = bytes[from + 1] ?? 0
      pixels[to + 2] = bytes[from] ?? 0
      pixels[to + 3] = 255
    }
  }
  return { width, height, pixels }
}

interface Header {
  readonly width: number
  readonly height: number
  readonly bits: number
  readonly offset: number
  readonly paletteOffset: number
  readonly isTopDown: boolean
}

function readHeader(bytes: Uint8Array): Header | undefined {
  if (bytes.length < 54 || bytes[0] !== 0x42 || bytes[1] !== 0x4d) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const headerSize = view.getUint32(14, true)
  const width = view.getInt32(18, true)
  const height = view.getInt32(22, true)
  const bits = view.getUint16(28, true)
  const compression = view.getUint32(30, true)
  // BI_BITFIELDS is read for 32 bits only, where every common writer uses the same masks as uncompressed.
  const isPlain = compression === 0 || (compression === 3 && bits === 32)
  if (headerSize < 40 || width <= 0 || height === 0 || !isPlain) return undefined
  return {
    width,
    height: Math.abs(height),
    bits,
    offset: view.getUint32(10, true),
    paletteOffset: 14 + headerSize,
    isTopDown: height < 0,
  }
}

/** Where the blue, green and red bytes of a pixel are. */
function pixelReader(
  bytes: Uint8Array,
  { bits, paletteOffset }: Header,
): ((row: number, x: number) => number) | undefined {
  if (bits === 24) return (row, x) => row + x * 3
  if (bits === 32) return (row, x) => row + x * 4
  if (bits === 8) return (row, x) => paletteOffset + (bytes[row + x] ?? 0) * 4
  if (bits === 4)
    return (row, x) =>
      paletteOffset + (((bytes[row + (x >> 1)] ?? 0) >> (x % 2 === 0 ? 4 : 0)) & 15) * 4
  if (bits === 1)
    return (row, x) => paletteOffset + (((bytes[row + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1) * 4
  return undefined
}
