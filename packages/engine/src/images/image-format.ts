/** The first bytes of the supported formats. Only these reach the decoder, so none of its other loaders ever runs. */
const signatures: readonly { readonly format: string; readonly pattern: RegExp }[] = [
  { format: 'png', pattern: /^\x89PNG\r\n/ },
  { format: 'jpeg', pattern: /^\xff\xd8\xff/ },
  { format: 'gif', pattern: /^GIF8[79]a/ },
  { format: 'webp', pattern: /^RIFF[^]{4}WEBP/ },
  { format: 'tiff', pattern: /^(?:II\*\0|MM\0\*|II\+\0|MM\0\+)/ },
  { format: 'avif', pattern: /^[^]{4}ftypavi[fs]/ },
]

/** The format of an image by its first bytes: png, jpeg, gif, webp, tiff or avif; undefined for anything else. */
export function imageFormatOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  return signatures.find(({ pattern }) => pattern.test(start))?.format
}
