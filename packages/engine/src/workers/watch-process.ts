// The code of the thread that ends a worker's process once it takes too much memory, or once its gateway is gone. What
// native code and array buffers take no limit of V8's counts.
import { workerData } from 'node:worker_threads'

const lookEveryMs = 25

const { parent, bytesMax } = workerData as { readonly parent: number; readonly bytesMax: number }

setInterval(() => {
  if (process.memoryUsage.rss() > bytesMax || process.ppid !== parent)
    process.kill(process.pid, 'SIGKILL')
}, lookEveryMs)
