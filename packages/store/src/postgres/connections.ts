import { setTimeout as wait } from 'node:timers/promises'
import { Client, type ClientConfig, DatabaseError, Pool, type PoolClient } from 'pg'

export interface Connections extends AsyncDisposable {
  /**
   * Runs `work` on a connection that nothing else uses meanwhile. After a failure the connection is closed.
   *
   * @throws Error of the work; or if the server does not answer, at most 3.5 seconds after it stopped, and at once while that
   *   is known; or if only this connection is dead, which the server reports within three seconds.
   */
  use<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result>
}

const connectionsMax = 10
/** Longer than any statement of this program takes. */
const statementMs = 15_000
/** Work that takes longer triggers a check whether the server responds at all. Work on a healthy server never waits for it. */
const patienceMs = 750
const betweenLooksMs = 250
const answerMs = 2_500

/** Work that runs on a connection or waits for one. */
interface Working {
  readonly begun: number
  readonly giveUp: (error: Error) => void
  /** The server's id of its connection, once there is one. */
  backend?: number | undefined
}

/** Connections to one server. */
export function openConnections(config: ClientConfig): Connections {
  const pool = new Pool({
    ...config,
    max: connectionsMax,
    query_timeout: statementMs,
    keepAlive: true,
  })
  // Without a listener, losing an idle connection would end the process. The pool opens another one when needed.
  pool.on('error', ignored)
  const watch = watchServer(config)

  return {
    async use(work) {
      const { working, givenUp } = watch.begin()
      const connecting = pool.connect()
      let client: PoolClient | undefined
      let isDone = false
      try {
        client = await Promise.race([connecting, givenUp])
        // The work fails with its connection; the process must not.
        client.on('error', ignored)
        working.backend = backendOf(client)
        const result = await Promise.race([work(client), givenUp])
        watch.heard()
        isDone = true
        return result
      } finally {
        watch.end(working)
        // Closing a connection rolls back what it began. After a failure its state is unknown.
        if (client) client.off('error', ignored).release(!isDone)
        else connecting.then((late) => late.release(true)).catch(ignored)
      }
    },
    async [Symbol.asyncDispose]() {
      watch[Symbol.dispose]()
      if (!pool.ending) await pool.end()
    },
  }
}

/**
 * Waiting cannot tell a silent server, or a network path that drops everything, from a slow statement. So if work takes long,
 * the server is asked over a new connection which of the busy connections are idle on its side: there the request or the
 * response was lost, and that work fails. If nothing arrives over this or any other connection (a server may only be too busy
 * for new ones), all work fails, and new work is refused until the server responds again.
 */
function watchServer(config: ClientConfig) {
  const underWay = new Set<Working>()
  let silence: Error | undefined
  let heardAt = 0
  let isLooking = false
  const timer = setInterval(() => void look(), betweenLooksMs).unref()

  async function look(): Promise<void> {
    const begun = performance.now()
    const late = [...underWay].filter((working) => begun - working.begun > patienceMs)
    if (isLooking || !(silence || late.length > 0)) return
    isLooking = true
    const found = await lookAt(
      config,
      late.flatMap(({ backend }) => backend ?? []),
    )
    isLooking = false
    if (!(found instanceof Error)) {
      silence = undefined
      for (const { backend, giveUp } of late)
        if (backend !== undefined && found.has(backend)) giveUp(new Error(noAnswer))
    } else if (silence || heardAt < begun) {
      silence = found
      for (const { giveUp } of underWay) giveUp(found)
    }
  }

  return {
    /** Throws while the server is known to be silent. */
    begin() {
      if (silence) throw silence
      const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>()
      const working: Working = { begun: performance.now(), giveUp }
      underWay.add(working)
      return { working, givenUp }
    },
    end: (working: Working) => underWay.delete(working),
    /** Called when any connection has received a response. */
    heard: () => void (heardAt = performance.now()),
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

const ignored = () => {}

const noAnswer = 'The database does not answer'

/** BackendKeyData of the protocol, which `pg` stores but its types omit. */
function backendOf(client: PoolClient): number | undefined {
  return 'processID' in client && typeof client.processID === 'number'
    ? client.processID
    : undefined
}

/**
 * The connections that have been idle for a second according to the server (PostgreSQL, "pg_stat_activity"); none if the query
 * fails. Behind a pooler with its own connection numbers, none are found.
 */
async function lookAt(
  config: ClientConfig,
  backends: readonly number[],
): Promise<ReadonlySet<number> | Error> {
  const client = new Client({
    ...config,
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
  })
  client.on('error', ignored)
  const asked = client.connect().then(() =>
    client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE pid = ANY(CAST($1 AS INTEGER[])) AND state LIKE 'idle%'
        AND datname = current_database() AND clock_timestamp() - state_change > INTERVAL '1 second'`,
      [backends],
    ),
  )
  // Does not wait for a closing message, which a silent server never reads.
  asked.finally(() => void client.end()).catch(() => {})
  try {
    const { rows } = await Promise.race([
      asked,
      wait(answerMs, undefined, { ref: false }).then(nothingCame),
    ])
    return new Set(rows.map(({ pid }) => pid))
  } catch (cause) {
    return cause instanceof DatabaseError ? new Set() : new Error(noAnswer, { cause })
  }
}

function nothingCame(): never {
  throw new Error(`Nothing came within ${answerMs} ms`)
}
