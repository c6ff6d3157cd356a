const palette = [
  [255, 255, 255, 0],
  [255, 0, 0, 0],
]

/** A bitmap of 3 by 2 pixels: white, except for a blue one at the bottom right. */
export function bmpOf(bits: 1 | 4 | 8 | 24 | 32, { isTopDown = false } = {}): Buffer {
  const rows = [
    [0, 0, 0],
    [0, 0, 1],
  ]
  const body = Buffer.concat((isTopDown ? rows : rows.toReversed()).map((row) => rowOf(row, bits)))
  const colors = bits <= 8 ? Buffer.from(palette.flat()) : Buffer.alloc(0)
  const head = Buffer.alloc(54)
  head.write('BM')
  head.writeUInt32LE(54 + colors.length + body.length, 2)
  head.writeUInt32LE(54 + colors.length, 10)
  head.writeUInt32LE(40, 14)
  head.writeInt32LE(3, 18)
  head.writeInt32LE(isTopDown ? -2 : 2, 22)
  head.writeUInt16LE(1, 26)
  head.writeUInt16LE(bits, 28)
  return Buffer.concat([head, colors, body])
}

function rowOf(row: readonly number[], bits: number): Buffer {
  const bytes = Buffer.alloc(Math.ceil((3 * bits) / 32) * 4)
  for (const [x, color] of row.entries()) {
    if (bits >= 24) Buffer.from(palette[color]!.slice(0, 3)).copy(bytes, (x * bits) / 8)
    else {
      const at = Math.floor((x * bits) / 8)
      bytes[at] = bytes[at]! | (color << (8 - bits - ((x * bits) % 8)))
    }
  }
  return bytes
}
