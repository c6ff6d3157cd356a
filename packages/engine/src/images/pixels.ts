/** A decoded picture: 8-bit sRGB red, green, blue, alpha (not premultiplied), row by row from the top. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}
