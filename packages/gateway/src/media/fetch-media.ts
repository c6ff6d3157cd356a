import { GatewayError, invalidRequest } from '@sluice/contract'
import ipaddr from 'ipaddr.js'
import type { Dispatcher } from 'undici'
import { untilAborted } from '../call/until-aborted.ts'
import { type AddressRuleOptions, addressRule, resolveBySystem } from './address-rule.ts'
import type { Dispatchers, Pinned } from '../dial/dispatchers.ts'
import { type Network, originOf } from '../dial/network.ts'

/** A file referenced by a request. `contentType` is what its source claims, without parameters; it is not trusted. */
export interface Media {
  readonly bytes: Uint8Array
  readonly contentType: string | undefined
}

/** Limits of one fetch. */
export interface FetchMediaOptions {
  /** The largest file, in bytes after decoding. */
  readonly bytesMax: number
  /** Timeout of the whole fetch including DNS and redirects, in milliseconds. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Called with the length of each chunk as it arrives; an error it throws ends the fetch. */
  readonly counted?: (length: number) => void
  /** The path of the field with the URL, for error messages. */
  readonly param: string
}

/**
 * Reads a media field: an http or https URL, a data URL (RFC 2397) or bare base64. Any failure is `invalid_request` with
 * `param`, except an abort by `signal`, which is `cancelled`.
 */
export type FetchMedia = (url: string, options: FetchMediaOptions) => Promise<Media>

/** How files are fetched, and from where. */
export interface MediaFetcherOptions extends AddressRuleOptions {
  readonly network: Network
  /** Whether a forward proxy may resolve host names, which are not checked then. Default false. */
  readonly proxyResolves?: boolean
  /** Resolves a host name to addresses; default: the system's resolver. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>
}

const redirectsMax = 3
/** Of the time for the whole fetch, in milliseconds. */
const connectMs = 10_000

/**
 * Creates a reader of media fields. It follows at most three redirects, connects to no address that `AddressRuleOptions` forbid,
 * and sends neither cookies nor credentials.
 */
export function createMediaFetcher(options: MediaFetcherOptions): FetchMedia {
  const { network, resolve = resolveBySystem, proxyResolves = false } = options
  const isAllowed = addressRule(options)
  return async (url, fetchOptions) => {
    const { param, bytesMax } = fetchOptions
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url.slice(0, 32))?.[1]?.toLowerCase()
    if (scheme === 'data') return decodeDataUrl(url, param, bytesMax)
    if (scheme === undefined) {
      return { bytes: decodeBase64(url, param, bytesMax), contentType: undefined }
    }
    if (scheme !== 'http' && scheme !== 'https')
      throw invalidRequest('Only http, https and data URLs can be read', param)
    return fetchFollowing(url, fetchOptions, { network, proxyResolves, resolve, isAllowed })
  }
}

interface Rules {
  readonly network: Network
  readonly proxyResolves: boolean
  readonly resolve: (hostname: string) => Promise<readonly string[]>
  readonly isAllowed: (address: string) => boolean
}

async function fetchFollowing(
  address: string,
  options: FetchMediaOptions,
  rules: Rules,
): Promise<Media> {
  const limit = AbortSignal.timeout(options.timeoutMs)
  const signal = options.signal === undefined ? limit : AbortSignal.any([options.signal, limit])
  try {
    let url = parseAddress(address, options.param)
    for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
      const answer = await fetchOnce(url, { ...options, signal }, rules)
      if (!(answer instanceof URL)) return answer
      url = answer
    }
    throw invalidRequest(`The URL redirects more than ${redirectsMax} times`, options.param)
  } catch (thrown) {
    if (options.signal?.aborted === true)
      throw new GatewayError('cancelled', 'The caller went away', { cause: thrown })
    if (thrown instanceof GatewayError) throw thrown
    const text = limit.aborted
      ? `The address did not deliver the file within ${Math.ceil(options.timeoutMs / 1000)} seconds`
      : 'The address could not be read'
    throw new GatewayError('invalid_request', text, { param: options.param, cause: thrown })
  }
}

/** Sends one request without following redirects. Returns the file, or the redirect target. */
async function fetchOnce(
  url: URL,
  options: FetchMediaOptions & { readonly signal: AbortSignal },
  rules: Rules,
): Promise<Media | URL> {
  const { dispatcher, origin } = await pinnedTo(url, options, rules)
  try {
    const answer = await dispatcher.request({
      origin,
      path: url.pathname + url.search,
      method: 'GET',
      signal: options.signal,
      headers: {
        host: url.host,
        accept: '*/*',
        'accept-encoding': 'identity',
        'user-agent': 'sluice',
      },
    })
    const { statusCode, headers } = answer
    const location = first(headers['location'])
    if (statusCode >= 300 && statusCode < 400 && location !== undefined)
      return parseAddress(location, options.param, url)
    if (statusCode !== 200)
      throw invalidRequest(`The URL returned status ${statusCode}`, options.param)
    const bytes = await readBody(answer, options)
    const contentType = first(headers['content-type'])?.split(';')[0]?.trim().toLowerCase()
    return { bytes, contentType: contentType === '' ? undefined : contentType }
  } finally {
    await dispatcher.destroy()
  }
}

/** A way to the host of a file alone, once its addresses have been checked. */
async function pinnedTo(
  url: URL,
  options: { readonly signal: AbortSignal; readonly param: string },
  rules: Rules,
): Promise<Pinned> {
  const dispatchers: Dispatchers = await rules.network.open()
  const place = originOf(url)
  const proxy = dispatchers.proxyFor(place, {})
  const through = proxy === undefined ? {} : { proxy }
  if (rules.proxyResolves && proxy !== undefined && !ipaddr.isValid(place.hostname))
    return dispatchers.pinned(place, through, connectMs)
  const addresses = await checkedAddresses(url, options, rules)
  return dispatchers.pinned(place, { ...through, addresses }, connectMs)
}

function parseAddress(text: string, param: string, from?: URL): URL {
  const url = URL.parse(text, from?.href)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw invalidRequest('This is not an http or https URL', param)
  if (url.username !== '' || url.password !== '')
    throw invalidRequest('URLs with a user name or password are not allowed', param)
  return url
}

/**
 * Resolves the host and checks all addresses. One forbidden address refuses the host. Unknown names give the same error as
 * forbidden ones, so that names of the internal network cannot be probed.
 */
async function checkedAddresses(
  url: URL,
  options: { readonly signal: AbortSignal; readonly param: string },
  { resolve, isAllowed }: Rules,
): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const known = ipaddr.isValid(host)
  const addresses = known ? [host] : await untilAborted(resolve(host), options.signal)
  if (addresses.length === 0 || !addresses.every(isAllowed))
    throw invalidRequest(
      'This URL points to an address that the gateway may not read from',
      options.param,
    )
  return addresses
}

async function readBody(
  answer: Dispatcher.ResponseData,
  { bytesMax, param, counted }: FetchMediaOptions,
): Promise<Uint8Array> {
  const { headers } = answer
  const body: AsyncIterable<Uint8Array> = answer.body
  const encoding = first(headers['content-encoding'])
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw invalidRequest('The URL returned a compressed body that was not requested', param)
  if (Number(first(headers['content-length']) ?? 0) > bytesMax) throw tooLarge(bytesMax, param)
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of body) {
    length += piece.length
    if (length > bytesMax) throw tooLarge(bytesMax, param)
    counted?.(piece.length)
    pieces.push(piece)
  }
  if (length === 0) throw invalidRequest('The URL returned an empty body', param)
  return Buffer.concat(pieces, length)
}

function first(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0]
}

function tooLarge(bytesMax: number, param: string): GatewayError {
  const megabytes = Math.floor(bytesMax / 1024 / 1024)
  const limit = megabytes > 0 ? `${megabytes} MiB` : `${bytesMax} bytes`
  return invalidRequest(`The file is larger than ${limit}`, param)
}

/** Decodes a data URL (RFC 2397), base64 or percent-encoded, strictly. */
function decodeDataUrl(url: string, param: string, bytesMax: number): Media {
  const comma = url.indexOf(',')
  if (comma === -1 || comma > 1024) throw invalidRequest('The data URL has no data', param)
  const head = url.slice('data:'.length, comma).split(';')
  const body = url.slice(comma + 1)
  const type = head[0]?.trim().toLowerCase() ?? ''
  const contentType = type === '' ? undefined : type
  const isBase64 = head.slice(1).some((word) => word.trim().toLowerCase() === 'base64')
  if (isBase64) return { bytes: decodeBase64(body, param, bytesMax), contentType }
  const bytes = decodePercents(body, param, bytesMax)
  return { bytes, contentType }
}

/** Longer data is a file, which should be base64. */
const percentLengthMax = 16 * 1024 * 1024

function decodePercents(text: string, param: string, bytesMax: number): Uint8Array {
  if (text.length > Math.min(bytesMax * 3, percentLengthMax)) throw tooLarge(bytesMax, param)
  if (/%(?![0-9a-f]{2})/i.test(text)) throw invalidRequest('The data URL is not well formed', param)
  const bytes = Buffer.from(text, 'utf8')
  let length = 0
  for (let at = 0; at < bytes.length; at += 1) {
    let byte = bytes[at] ?? 0
    if (byte === percent) {
      byte = hexDigit(bytes[at + 1]) * 16 + hexDigit(bytes[at + 2])
      at += 2
    }
    bytes[length] = byte
    length += 1
  }
  if (length > bytesMax) throw tooLarge(bytesMax, param)
  if (length === 0) throw invalidRequest('The data URL is empty', param)
  return bytes.subarray(0, length)
}

const percent = 37

/** The value of a hexadecimal digit in either case. */
function hexDigit(code = 0): number {
  return code <= 57 ? code - 48 : (code & 0xdf) - 55
}

/** Decodes base64 (RFC 4648, section 4) strictly: no other characters, padding correct or omitted. */
function decodeBase64(text: string, param: string, bytesMax: number): Uint8Array {
  if (text.length > Math.ceil(bytesMax / 3) * 4) throw tooLarge(bytesMax, param)
  const characters = text.replace(/={1,2}$/, '')
  const padded = text.length !== characters.length
  const isWhole = padded ? text.length % 4 === 0 : characters.length % 4 !== 1
  if (characters === '' || !isWhole || !/^[A-Za-z0-9+/]+$/.test(characters))
    throw invalidRequest('This is neither a URL nor valid base64 data', param)
  const bytes = Buffer.from(characters, 'base64')
  if (bytes.length > bytesMax) throw tooLarge(bytesMax, param)
  return bytes
}
