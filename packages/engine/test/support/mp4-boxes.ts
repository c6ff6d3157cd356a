/** What a player reads first of an MP4 file (ISO/IEC 14496-12): its boxes, length and picture size. */
export interface Mp4Facts {
  readonly boxes: readonly string[]
  readonly seconds: number
  readonly width: number
  readonly height: number
  readonly frames: number
}

interface Box {
  readonly type: string
  readonly body: Buffer
}

function boxesOf(bytes: Buffer): Box[] {
  const boxes: Box[] = []
  for (let at = 0; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at)
    if (size < 8 || at + size > bytes.length) throw new Error(`A box of ${size} bytes at ${at}`)
    boxes.push({
      type: bytes.toString('latin1', at + 4, at + 8),
      body: bytes.subarray(at + 8, at + size),
    })
    at += size
  }
  return boxes
}

function within(body: Buffer, ...path: string[]): Buffer {
  const [type, ...rest] = path
  if (type === undefined) return body
  const box = boxesOf(body).find((candidate) => candidate.type === type)
  if (box === undefined) throw new Error(`No ${type} box`)
  return within(box.body, ...rest)
}

export function readMp4(bytes: Uint8Array): Mp4Facts {
  const file = Buffer.from(bytes)
  const header = within(file, 'moov', 'mvhd')
  if (header[0] !== 0) throw new Error('mvhd of version 0 expected')
  const track = within(file, 'moov', 'trak', 'tkhd')
  const sizes = within(file, 'moov', 'trak', 'mdia', 'minf', 'stbl', 'stsz')
  return {
    boxes: boxesOf(file).map(({ type }) => type),
    seconds: header.readUInt32BE(16) / header.readUInt32BE(12),
    width: track.readUInt32BE(track.length - 8) / 65_536,
    height: track.readUInt32BE(track.length - 4) / 65_536,
    frames: sizes.readUInt32BE(8),
  }
}
