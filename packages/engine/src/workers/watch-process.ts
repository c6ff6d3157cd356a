// The code of the thread that ends a worker's process if it uses too much memory or its gateway is gone. V8's limits do not
// count the memory of native code and array buffers.
import { workerData } from 'node:worker_threads'

const lookEveryMs = 25

const { parent, bytesMax } = workerData as { readonly parent: number; readonly bytesMax: number }

setInterval(() => {
  if (process.memoryUsage.rss() > bytesMax || process.ppid !== parent)
    process.kill(process.pid, 'SIGKILL')
}, lookEveryMs)
