/** Adds a piece to what is pending and returns both as one; what was pending is not to be used any more. */
type Append = (pending: Uint8Array, piece: Uint8Array) => Uint8Array

/**
 * Joins the pieces of one stream. Room is made for twice as much as there is, so that a long event costs the time of
 * its bytes and not of its pieces times its bytes. `pending` must end where the joined bytes end; parts that were cut
 * from its beginning stay as they are.
 */
export function createAppend(): Append {
  let room: Uint8Array = new Uint8Array()
  return (pending, piece) => {
    if (pending.length === 0) return piece
    const end = pending.byteOffset + pending.length
    const length = pending.length + piece.length
    if (pending.buffer === room.buffer && end + piece.length <= room.length) {
      room.set(piece, end)
      return room.subarray(end - pending.length, end + piece.length)
    }
    room = new Uint8Array(2 * length)
    room.set(pending)
    room.set(piece, pending.length)
    return room.subarray(0, length)
  }
}
