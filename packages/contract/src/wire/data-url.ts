export interface DataUrl {
  /**
   * In lower case, without parameters; `text/plain` if the URL names none (RFC 2397). For an image, and for bytes of an
   * unknown type, the type by their first bytes is used: providers compare the two and reject a mismatch.
   */
  readonly contentType: string
  /** The bytes in standard base64. */
  readonly base64: string
}

const form = /^data:([^,;]*)((?:;[^,;]*)*),/i

/** The parts of a data: URL; undefined if it is not one, or if its text is invalid base64. */
export function parseDataUrl(url: string): DataUrl | undefined {
  const match = form.exec(url.slice(0, 1024))
  if (match === null) return undefined
  const declared = registeredType(match[1] ?? '')
  const contentType = declared || 'text/plain'
  const data = url.slice(match[0].length)
  if (/;\s*base64\s*$/i.test(match[2] ?? '')) {
    const base64 = standardBase64((data.includes('%') ? decode(data) : data) ?? '%')
    if (base64 === undefined) return undefined
    return { contentType: typeOfBytes(declared, base64) ?? contentType, base64 }
  }
  const text = decode(data)
  return text === undefined
    ? undefined
    : { contentType, base64: Buffer.from(text).toString('base64') }
}

/** A media type without its parameters. Many callers write `image/jpg`, which is not registered and which providers reject. */
export function registeredType(contentType: string): string {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  return type === 'image/jpg' ? 'image/jpeg' : type
}

/** The same data URL of an image, with the registered type that its first bytes show. */
export function registeredDataUrl(url: string): string {
  const match = form.exec(url.slice(0, 1024))
  if (match === null) return url
  const [head, given = ''] = match
  const declared = registeredType(given)
  const type = typeOfBytes(declared, url.slice(head.length, head.length + 24)) ?? declared
  return type === given.toLowerCase()
    ? url
    : `data:${type}${url.slice('data:'.length + given.length)}`
}

/** The first base64 characters of common files. */
const typesByStart: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['JVBERi', 'application/pdf'],
]

/** The type that bytes in base64 show by their beginning; undefined if unknown. */
export function typeByContent(base64: string): string | undefined {
  const known = typesByStart.find(([start]) => base64.startsWith(start))?.[1]
  if (known !== undefined) return known
  const head = Buffer.from(base64.slice(0, 16), 'base64').toString('latin1')
  if (!head.startsWith('RIFF')) return undefined
  return head.endsWith('WEBP') ? 'image/webp' : head.endsWith('WAVE') ? 'audio/wav' : undefined
}

function typeOfBytes(declared: string, base64: string): string | undefined {
  const isUnknown = declared === '' || declared === 'application/octet-stream'
  if (!isUnknown && !declared.startsWith('image/')) return undefined
  const found = typeByContent(base64)
  return isUnknown || found?.startsWith('image/') === true ? found : undefined
}

export function formatDataUrl(contentType: string, base64: string): string {
  return `data:${contentType};base64,${base64}`
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Many callers break base64 into lines, or use the URL-safe alphabet. Undefined if it is not base64. */
function standardBase64(text: string): string | undefined {
  const padding = text.indexOf('=')
  if (padding >= 0 && !/^(?:=\s*){1,2}$/.test(text.slice(padding))) return undefined
  if (/[^A-Za-z0-9+/_\s=-]/.test(text)) return undefined
  // This reads both alphabets and skips blanks, in a fraction of the time that removing millions of them would take.
  return /[\s_-]/.test(text) ? Buffer.from(text, 'base64').toString('base64') : text
}
