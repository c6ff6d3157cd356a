/** Where this page is, without what names a part of it. */
export function gatewayAddress(): string {
  return new URL('.', location.href).href.replace(/\/$/, '')
}
