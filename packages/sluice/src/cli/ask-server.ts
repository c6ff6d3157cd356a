import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'

export interface Ask {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
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
export function askServer(url: string, { timeoutMs, body, ...options }: Ask): Promise<Answered> {
  const begin = url.startsWith('https:') ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const request = begin(url, { ...options, agent: false, signal }, (response) => {
      const pieces: Buffer[] = []
      let size = 0
      response.on('data', (piece: Buffer) => {
        size += piece.length
        if (size > answerBytesMax) request.destroy(new Error('The answer is too large'))
        else pieces.push(piece)
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString('utf8') }),
      )
      response.on('error', reject)
    })
    request.on('error', reject)
    request.end(body)
  })
}

interface Follow {
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** Passes the response of a server of the user's own to `take` as it arrives, until it ends or `signal` aborts. */
export function followServer(
  url: string,
  options: Follow,
  take: (text: string) => void,
): Promise<void> {
  const begin = url.startsWith('https:') ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const request = begin(url, { ...options, agent: false }, (response) => {
      if (response.statusCode !== 200) {
        response.resume()
        reject(new Error(`it answered ${response.statusCode}`))
        return
      }
      response.setEncoding('utf8')
      response.on('data', take)
      response.on('end', resolve)
      response.on('error', failed)
    })
    request.on('error', failed)
    request.end()

    function failed(error: Error): void {
      if (options.signal.aborted) resolve()
      else reject(error)
    }
  })
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
