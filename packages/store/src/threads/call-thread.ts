import { type ResourceLimits, Worker } from 'node:worker_threads'

/** What a thread can be asked, by name; see `serveThread`. Arguments and results are cloned. */
export type ThreadMethods<Methods> = {
  readonly [Name in keyof Methods]: (argument: never) => unknown
}

export interface ThreadOptions {
  /** What the thread does, for the error of calls that it did not answer: "The thread that … has ended". */
  readonly task: string
  /** Given to the thread when it starts. */
  readonly data?: unknown
  readonly resourceLimits?: ResourceLimits
  /** Converts the error of a method. Default: unchanged. */
  readonly errorOf?: (error: Error) => unknown
}

/** Calls methods in a thread, which runs one at a time, in the order of the calls. */
export interface CallableThread<Methods extends ThreadMethods<Methods>> extends AsyncDisposable {
  /**
   * Rejects with an error that has the message, texts and numbers of the one that the method threw; or if the thread ends before
   * it answers, and the next call then starts another one.
   */
  call<Name extends keyof Methods & string>(
    name: Name,
    ...argument: Parameters<Methods[Name]>
  ): Promise<Awaited<ReturnType<Methods[Name]>>>
}

/** Messages to the thread: a call, or the request to end. */
export type ToThread =
  | { readonly id: number; readonly name: string; readonly argument: unknown }
  | 'end'

/** Messages from the thread. */
export type FromThread =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly message: string; readonly details: object }

/**
 * The thread of an entry file, which calls `serveThread`. It starts when it is first called, and only open calls keep the process
 * alive. Disposing waits for them and ends the thread.
 */
export function openThread<Methods extends ThreadMethods<Methods>>(
  entry: URL,
  { task, data, resourceLimits = {}, errorOf = (error) => error }: ThreadOptions,
): CallableThread<Methods> {
  const open = new Map<number, PromiseWithResolvers<unknown>>()
  let worker: Worker | undefined
  let count = 0

  function start(): Worker {
    const started = new Worker(entry, { workerData: data, resourceLimits })
    let cause: unknown
    started.on('error', (error) => {
      cause = error
    })
    started.on('exit', () => {
      worker = undefined
      const error = new Error(`The thread that ${task} has ended`, { cause })
      for (const { reject } of open.values()) reject(error)
      open.clear()
    })
    started.on('message', (answer: FromThread) => {
      const call = open.get(answer.id)
      open.delete(answer.id)
      if (open.size === 0) started.unref()
      if ('result' in answer) call?.resolve(answer.result)
      else call?.reject(errorOf(Object.assign(new Error(answer.message), answer.details)))
    })
    return started
  }

  function post(to: Worker, message: ToThread): void {
    to.ref()
    to.postMessage(message)
  }

  return {
    call(name, argument?: unknown) {
      worker ??= start()
      const call = Promise.withResolvers<unknown>()
      const id = (count += 1)
      open.set(id, call)
      post(worker, { id, name, argument })
      // The thread has these methods, so it answers with what the named one returns.
      return call.promise as Promise<never>
    },
    async [Symbol.asyncDispose]() {
      const ending = worker
      if (!ending) return
      const ended = new Promise<void>((resolve) => {
        ending.once('exit', () => resolve())
      })
      post(ending, 'end')
      await ended
    },
  }
}
