/** Thrown when what an upstream sent is not a response of HTTP/1.1. The message never quotes it. */
export class InvalidResponse extends Error {
  override readonly name = 'InvalidResponse'
}
