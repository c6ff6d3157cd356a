/** Adds a piece to the pending bytes and returns both as one. The old pending bytes must not be used afterwards. */
type Append = (pending: Uint8Array, piece: Uint8Array) => Uint8Array

/**
 * Joins the pieces of one stream. The buffer gets twice the necessary size, so that a long event takes time in proportion to
 * its bytes, whatever the number of its pieces. `pending` must end where the joined bytes end; parts that were cut from its
 * beginning stay valid.
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
