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
const slowMs = 750
const checkEveryMs = 250
const answerMs = 2_500

/** Work that runs on a connection or waits for one. */
interface Working {
  readonly begun: number
  readonly giveUp: (error: Error) => void
  /** The server's id of its connection, once there is one. */
  backend?: number | undefined
}

/** At most ten connections to one server, opened when needed. Disposing waits for the running work and closes them. */
export function openConnections(config: ClientConfig): Connections {
  const pool = new Pool({
    ...config,
    max: connectionsMax,
    query_timeout: statementMs,
    keepAlive: true,
  })
  // Without a listener, losing an idle connection would end the process. The pool opens another one when needed.
  pool.on('error', ignore)
  const watch = watchServer(config)

  return {
    async use(work) {
      const { working, abandoned } = watch.begin()
      const connecting = pool.connect()
      let client: PoolClient | undefined
      let isDone = false
      try {
        client = await Promise.race([connecting, abandoned])
        // The work fails with its connection; the process must not.
        client.on('error', ignore)
        working.backend = backendOf(client)
        const result = await Promise.race([work(client), abandoned])
        watch.answered()
        isDone = true
        return result
      } finally {
        watch.end(working)
        // Closing a connection rolls back what it began. After a failure its state is unknown.
        if (client) client.off('error', ignore).release(!isDone)
        else connecting.then((late) => late.release(true)).catch(ignore)
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
  const running = new Set<Working>()
  let outage: Error | undefined
  let answeredAt = 0
  let isChecking = false
  const timer = setInterval(() => void check(), checkEveryMs).unref()

  async function check(): Promise<void> {
    const begun = performance.now()
    const late = [...running].filter((working) => begun - working.begun > slowMs)
    if (isChecking || !(outage || late.length > 0)) return
    isChecking = true
    const idle = await findIdle(
      config,
      late.flatMap(({ backend }) => backend ?? []),
    )
    isChecking = false
    if (!(idle instanceof Error)) {
      outage = undefined
      for (const { backend, giveUp } of late)
        if (backend !== undefined && idle.has(backend)) giveUp(new Error(noAnswer))
    } else if (outage || answeredAt < begun) {
      outage = idle
      for (const { giveUp } of running) giveUp(idle)
    }
  }

  return {
    /** Throws while the server is known to be silent. */
    begin() {
      if (outage) throw outage
      const { promise: abandoned, reject: giveUp } = Promise.withResolvers<never>()
      const working: Working = { begun: performance.now(), giveUp }
      running.add(working)
      return { working, abandoned }
    },
    end: (working: Working) => running.delete(working),
    /** Called when any connection has received a response. */
    answered: () => void (answeredAt = performance.now()),
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

const ignore = () => {}

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
async function findIdle(
  config: ClientConfig,
  backends: readonly number[],
): Promise<ReadonlySet<number> | Error> {
  const client = new Client({
    ...config,
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
  })
  client.on('error', ignore)
  const query = client.connect().then(() =>
    client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE pid = ANY(CAST($1 AS INTEGER[])) AND state LIKE 'idle%'
        AND datname = current_database() AND clock_timestamp() - state_change > INTERVAL '1 second'`,
      [backends],
    ),
  )
  // Does not wait for a closing message, which a silent server never reads.
  query.finally(() => void client.end()).catch(() => {})
  try {
    const { rows } = await Promise.race([
      query,
      wait(answerMs, undefined, { ref: false }).then(throwLate),
    ])
    return new Set(rows.map(({ pid }) => pid))
  } catch (cause) {
    return cause instanceof DatabaseError ? new Set() : new Error(noAnswer, { cause })
  }
}

function throwLate(): never {
  throw new Error(`Nothing came within ${answerMs} ms`)
}
