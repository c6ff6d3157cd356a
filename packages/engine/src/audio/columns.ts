/** A list of numbers that grows, 4 bytes each. */
export interface Column {
  readonly length: number
  push(value: number): void
  /** What has been pushed so far, without a copy. */
  values(): Float32Array
}

export function createColumn(): Column {
  let buffer = new Float32Array(1024)
  let length = 0
  return {
    get length() {
      return length
    },
    push(value) {
      if (length === buffer.length) {
        const larger = new Float32Array(buffer.length * 2)
        larger.set(buffer)
        buffer = larger
      }
      buffer[length++] = value
    },
    values: () => buffer.subarray(0, length),
  }
}
