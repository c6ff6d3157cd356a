/** The address of this page without the fragment. */
export function gatewayAddress(): string {
  return new URL('.', location.href).href.replace(/\/$/, '')
}
