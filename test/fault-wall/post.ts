import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { Got } from './describe.ts'

const agent = new Agent({ keepAlive: true, maxSockets: Infinity })

/** An answer that is not over by then never is: no limit of the gateway is nearly so long. */
const lateMs = 90_000

/** Asks and reads to the end, whatever comes. */
export function post(url: string, key: string, body: object): Promise<Got> {
  return new Promise((resolve) => {
    const bytes = JSON.stringify(body)
    let text = ''
    let status = 0
    let headers: IncomingHttpHeaders = {}
    const settle = (end: Got['end']) => {
      clearTimeout(timer)
      resolve({ status, headers: headers as Got['headers'], text, end })
    }
    const sent = request(
      url,
      {
        method: 'POST',
        agent,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(bytes),
        },
      },
      (response) => {
        status = response.statusCode ?? 0
        ;({ headers } = response)
        response.setEncoding('utf8')
        response.on('data', (piece: string) => {
          text += piece
        })
        response.on('end', () => settle('whole'))
        response.on('error', () => settle('broken'))
      },
    )
    const timer = setTimeout(() => {
      settle('late')
      sent.destroy()
    }, lateMs)
    sent.on('error', () => settle('broken'))
    sent.end(bytes)
  })
}

/** Closes the connections that are kept. */
export function closeConnections(): void {
  agent.destroy()
}
