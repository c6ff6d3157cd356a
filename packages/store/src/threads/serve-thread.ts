import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { FromThread, ThreadMethods, ToThread } from './call-thread.ts'

/**
 * Serves the calls of `openThread` in this thread, the entry of which calls it. `open` gets the data of the thread and returns its
 * methods, and how to close what they use.
 */
export function serveThread<Methods extends ThreadMethods<Methods>>(
  open: (data: unknown) => { readonly methods: Methods } & Partial<Disposable>,
): void {
  const port = parentPort
  if (!port) return
  const { methods, [Symbol.dispose]: close } = open(workerData)
  let last: Promise<void> = Promise.resolve()
  port.on('message', (message: ToThread) => {
    last = last.then(async () => {
      if (message !== 'end') return answer(port, methods, message)
      close?.()
      port.close()
    })
  })
}

async function answer<Methods>(
  port: MessagePort,
  methods: Methods,
  { id, name, argument }: Exclude<ToThread, 'end'>,
): Promise<void> {
  const post = (message: FromThread) => port.postMessage(message)
  try {
    // `call` accepts only a name of these methods, with the argument of that one.
    const method = methods[name as keyof Methods] as (argument: unknown) => unknown
    post({ id, result: await method(argument) })
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    const details = Object.entries(thrown instanceof Error ? thrown : {}).filter(
      ([, value]) => typeof value === 'string' || typeof value === 'number',
    )
    post({ id, message, details: Object.fromEntries(details) })
  }
}
