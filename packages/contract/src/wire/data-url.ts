export interface DataUrl {
  /** Lower-case, without parameters; `text/plain` where the address names none (RFC 2397). */
  readonly contentType: string
  /** The bytes in standard base64. */
  readonly base64: string
}

const form = /^data:([^,;]*)((?:;[^,;]*)*),/i

/** A data: address taken apart; undefined when it is none or its text is no base64 although it says so. */
export function parseDataUrl(url: string): DataUrl | undefined {
  const match = form.exec(url.slice(0, 1024))
  if (match === null) return undefined
  const contentType = registeredType(match[1] ?? '') || 'text/plain'
  const data = url.slice(match[0].length)
  if (/;\s*base64\s*$/i.test(match[2] ?? '')) {
    const base64 = data.includes('%') ? decode(data) : data
    return base64 !== undefined && isBase64(base64) ? { contentType, base64 } : undefined
  }
  const text = decode(data)
  return text === undefined
    ? undefined
    : { contentType, base64: Buffer.from(text).toString('base64') }
}

/** A media type without its parameters. Many write `image/jpg`, which is not registered and which providers refuse. */
export function registeredType(contentType: string): string {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  return type === 'image/jpg' ? 'image/jpeg' : type
}

/** The same address with its type in the registered words. */
export function registeredDataUrl(url: string): string {
  return url.replace(/^data:image\/jpg(?=[;,])/i, 'data:image/jpeg')
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

function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(text)
}
