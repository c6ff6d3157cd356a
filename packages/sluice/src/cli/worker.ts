import cluster from 'node:cluster'
import { loadConfig } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { readEnvironment } from '../config/env.ts'
import { ProcessLink } from '@sluice/store/limits/process-link.ts'
import { CommandError } from './command-error.ts'
import { openLog } from './open-log.ts'
import { runGateway } from './run-gateway.ts'
import { stopSignal } from './stop-signal.ts'
import { answerWatch, stopLimitMs } from './worker-watch.ts'

/** One of several processes that serve one port; started by workers.ts. Its resources end with it. */
export async function serveWorker(worker: number, workers: number): Promise<never> {
  const exitCode = await serve(worker, workers)
  // The channel to the primary process would keep it alive.
  process.exit(exitCode)
}

async function serve(worker: number, workers: number): Promise<number> {
  // Otherwise Node ends a worker at once when its primary process has gone, in the middle of its streams.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true
  const link = new ProcessLink((batch) => void process.send?.(batch, () => {}))
  process.on('message', (batch) => link.receive(batch))
  answerWatch(link)
  let hasListened = false
  const orphaned = new Promise<string>((resolve) => {
    process.on('disconnect', () => {
      // Only the primary process could let it listen; no call has begun.
      if (!hasListened) process.exit(1)
      link.close()
      resolve('the primary process has ended')
    })
  })
  const stopMessage = new Promise<string>((resolve) => {
    link.serve('worker.stop', () => resolve('the primary process stops'))
  })
  const stopping = Promise.race([stopSignal(), stopMessage, orphaned])
  try {
    const environment = readEnvironment()
    const config = await loadConfig(environment)
    await using log = openLog(config.log, { worker })
    process.on('disconnect', () => {
      log.unread()
      // Nobody else would end it if a step of the stop never did.
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), stopLimitMs(config.server)).unref()
    })
    await runGateway({
      environment,
      config,
      log,
      link,
      workers,
      keepsBook: worker === 1,
      listening(found) {
        hasListened = true
        link.tell('worker.listening', found)
      },
      stopping,
    })
    return 0
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof CommandError)) throw error
    await link.ask('worker.failed', error.message)
    return 1
  }
}
