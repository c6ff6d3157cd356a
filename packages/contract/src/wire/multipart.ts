/** A part of an outgoing form: a field, or a file with its bytes. */
type OutgoingPart =
  | { readonly name: string; readonly value: string }
  | {
      readonly name: string
      readonly file: {
        readonly filename: string
        readonly contentType: string
        readonly bytes: Uint8Array
      }
    }

/** A form as bytes (RFC 7578). `boundary` must not occur in any part; 24 random hexadecimal digits never do. */
export function formatForm(parts: readonly OutgoingPart[], boundary: string): Uint8Array {
  const pieces: Uint8Array[] = []
  for (const part of parts) {
    const name = `form-data; name="${quoted(part.name)}"`
    if ('file' in part) {
      const { filename, contentType, bytes } = part.file
      const type = contentType.replace(/[\r\n]/g, '') || 'application/octet-stream'
      pieces.push(
        Buffer.from(
          `--${boundary}\r\ncontent-disposition: ${name}; filename="${quoted(filename)}"\r\ncontent-type: ${type}\r\n\r\n`,
        ),
        bytes,
        Buffer.from('\r\n'),
      )
    } else {
      pieces.push(
        Buffer.from(`--${boundary}\r\ncontent-disposition: ${name}\r\n\r\n${part.value}\r\n`),
      )
    }
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`))
  return Buffer.concat(pieces)
}

/** Quotes and line breaks as browsers write them (WHATWG HTML, multipart/form-data encoding). */
function quoted(text: string): string {
  return text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}
