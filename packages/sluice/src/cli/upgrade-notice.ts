import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { Upgrading } from '@sluice/store/migrations.ts'
import type { Config } from '../config/config.ts'
import { tellUpgrade } from './open-data.ts'

/** When clients should try again, in seconds. */
const retryAfterSeconds = '5'

const status = 'upgrading'
const message = 'The database is being upgraded: try again later'
/** In the form of OpenAI's errors, which every client shows. */
const refusal = { error: { message, type: 'server_error', param: null, code: 'overloaded' } }

/**
 * Answers in place of the gateway while its database is upgraded: `/healthz` with 200, everything else with 503. Nothing is opened
 * unless there is something to upgrade. Dispose it before the gateway listens.
 *
 * With SQLite nothing is answered, because the upgrade blocks the thread. If the address is taken, the gateway's own start will
 * say so.
 */
export class UpgradeNotice implements AsyncDisposable {
  readonly #config: Pick<Config, 'server' | 'storage'>
  #server: Server | undefined
  /** Resolves when the server listens, or cannot. */
  #begun: Promise<void> = Promise.resolve()

  constructor(config: Pick<Config, 'server' | 'storage'>) {
    this.#config = config
  }

  readonly open: Upgrading = (versions) => {
    tellUpgrade(versions)
    const { server, storage } = this.#config
    if (storage.url === undefined) return
    const { host, port } = server
    const opened = createServer(({ url }, response) => {
      const [path] = (url ?? '').split('?')
      const isAlive = path === '/healthz'
      const body = isAlive || path === '/readyz' ? { status } : refusal
      response.writeHead(isAlive ? 200 : 503, {
        'content-type': 'application/json',
        connection: 'close',
        ...(!isAlive && { 'retry-after': retryAfterSeconds }),
      })
      response.end(JSON.stringify(body))
    })
    this.#server = opened
    this.#begun = new Promise((resolve) => {
      opened.on('listening', resolve)
      opened.on('error', () => resolve())
    })
    opened.listen({ host, port })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#begun
    const server = this.#server
    this.#server = undefined
    if (!server?.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
}
