/** Records the response of one call, as far as it is stored. */
export interface ContentCapture {
  /** Called when the response begins. */
  begin(contentType: string): void
  add(piece: string | Uint8Array): void
}
