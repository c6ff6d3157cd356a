import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'

interface Ask extends Pick<RequestOptions, 'method' | 'headers'> {
  readonly body?: string
  /** For the whole request, in milliseconds. */
  readonly timeoutMs: number
}

export interface Answered {
  readonly status: number
  readonly text: string
}

/** Larger than any response that a command reads. */
const answerBytesMax = 16 * 1024 * 1024

/** Sends one request to a server of the user's own. Never follows redirects. */
export async function askServer(
  url: string,
  { timeoutMs, body, ...options }: Ask,
): Promise<Answered> {
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await responseTo(begin(url, { ...options, signal }).end(body))
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of response) {
    size += piece.length
    if (size > answerBytesMax) throw new Error('The answer is too large')
    pieces.push(piece)
  }
  return { status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString('utf8') }
}

/** Passes the response of a server of the user's own to `take` as it arrives, until it ends or `signal` aborts. */
export async function followServer(
  url: string,
  options: Pick<RequestOptions, 'headers'> & { readonly signal: AbortSignal },
  take: (text: string) => void,
): Promise<void> {
  try {
    const response = await responseTo(begin(url, options).end())
    if (response.statusCode !== 200) {
      response.resume()
      throw new Error(`it answered ${response.statusCode}`)
    }
    for await (const text of response.setEncoding('utf8')) take(text)
  } catch (error) {
    if (!options.signal.aborted) throw error
  }
}

function begin(url: string, options: RequestOptions): ClientRequest {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest
  return request(url, { ...options, agent: false })
}

async function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  // After the response has begun, an error also ends the response, whose reader reports it.
  request.on('error', () => {})
  const [response]: IncomingMessage[] = await once(request, 'response')
  if (!response) throw new Error('The server sent no response')
  return response
}

/** The JSON of a successful GET; undefined in any other case, for example if nothing listens. */
export async function askForJson(url: string, timeoutMs: number): Promise<unknown> {
  try {
    const { status, text } = await askServer(url, { timeoutMs })
    return status === 200 ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}
