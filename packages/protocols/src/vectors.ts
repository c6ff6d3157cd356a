/** Vectors in OpenAI's `encoding_format: base64`: little-endian float32 (OpenAI API, embeddings). */

export function vectorToBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}

export function vectorFromBase64(text: string): number[] {
  const bytes = Buffer.from(text, 'base64')
  const vector: number[] = []
  for (let at = 0; at + 4 <= bytes.length; at += 4) vector.push(bytes.readFloatLE(at))
  return vector
}
