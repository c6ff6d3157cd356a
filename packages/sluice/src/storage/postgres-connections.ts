import { setTimeout as wait } from 'node:timers/promises'
import { Client, type ClientConfig, DatabaseError, Pool, type PoolClient } from 'pg'

export interface Connections extends AsyncDisposable {
  /**
   * Does some work on a connection that is nobody else's meanwhile; after a failure it is closed.
   *
   * @throws Error of the work, or when the server does not answer: 3.5 seconds after it began at most, and at once while
   * that is known; or when its connection alone is dead, which the server tells within three seconds.
   */
  use<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result>
}

const connectionsMax = 10
/** Longer than any statement of this program takes. */
const statementMs = 15_000
/** Work that takes longer makes one ask whether the server is there at all; none of a healthy server waits for that. */
const patienceMs = 750
const betweenLooksMs = 250
const answerMs = 2_500

/** One piece of work on a connection, or waiting for one. */
interface Working {
  readonly begun: number
  readonly giveUp: (error: Error) => void
  /** What the server calls its connection, once there is one. */
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
  // Without a listener the loss of an idle connection ends the process. The pool opens another one when it needs it.
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
        // What fails with its connection is the work, not the process.
        client.on('error', ignored)
        working.backend = backendOf(client)
        const result = await Promise.race([work(client), givenUp])
        watch.heard()
        isDone = true
        return result
      } finally {
        watch.end(working)
        // A connection that is closed takes back what it began; after a failure nobody knows its state.
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
 * A server that takes connections and says nothing, or a way to it that swallows everything, is not told from a slow statement by
 * waiting. So when work takes long the server is asked over a new connection which of those that are worked on have nothing to do:
 * there the request or the answer was lost, and that work is given up. If nothing comes, over this connection or any other
 * (a server may only be too busy for new ones), all work is given up, and new work is refused until the server answers again.
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
    /** Some connection brought an answer. */
    heard: () => void (heardAt = performance.now()),
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

const ignored = () => {}

const noAnswer = 'The database does not answer'

/** The protocol's BackendKeyData, which `pg` keeps and its types do not tell. */
function backendOf(client: PoolClient): number | undefined {
  return 'processID' in client && typeof client.processID === 'number'
    ? client.processID
    : undefined
}

/**
 * Which of the connections have had nothing to do for a second, as the server sees it (PostgreSQL, "pg_stat_activity"); none
 * where it answers with an error. A pooler between, which has its own numbers of connections, makes none known.
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
  // Nobody waits for a farewell, which a silent server never takes.
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
