import { connect, createServer, type Socket } from 'node:net'

/** A proxy in front of a server, whose connections can be cut. */
export async function openWay(target: URL) {
  const sockets = new Set<Socket>()
  let is: 'open' | 'cut' | 'silent' = 'open'
  const server = createServer((near) => {
    if (is === 'cut') return near.destroy()
    if (is === 'silent') return void sockets.add(near.on('error', () => {}))
    const far = connect(Number(target.port || 5432), target.hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = new URL(target)
  url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const become = (next: typeof is) => {
    is = next
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  const cut = () => become('cut')
  return {
    url: url.href,
    cut,
    /** Closes all connections, then accepts new ones without responding on them. */
    fallSilent: () => become('silent'),
    /** Accepts new connections without responding on them; existing ones go on. */
    takeNoMore: () => void (is = 'silent'),
    /** Stops all traffic on the existing connections without closing them; new connections are not affected. */
    freezeThese() {
      for (const socket of sockets) socket.unpipe().pause()
    },
    /** Stops the existing connections and does not respond on new ones. */
    freeze() {
      is = 'silent'
      for (const socket of sockets) socket.unpipe().pause()
    },
    mend: () => become('open'),
    async [Symbol.asyncDispose]() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
