import { write, writeSync } from 'node:fs'

/** Maximum length of the text queued for a destination that takes nothing; what comes beyond it is lost. */
const waitingCharactersMax = 64 * 1024 * 1024
/** How long to wait before a destination that is full is tried again, in milliseconds. */
const fullMs = 100
/** How long the end of the process waits for a destination that takes nothing, in milliseconds. */
const lastWriteMs = 1_000

/**
 * Writes text to a file descriptor in order, on another thread. At the end of the process nothing is tried for ever: a pipe
 * may have lost its reader, or have one that does not read.
 */
export class LogWriter implements AsyncDisposable {
  readonly #fd: number
  #waiting: string[] = []
  #waitingCharacters = 0
  /** What is being written, or what a failed write has left. */
  #rest: Buffer = Buffer.alloc(0)
  /** When the write began that another thread is making. */
  #begunAt: number | undefined
  #again: NodeJS.Timeout | undefined
  #isUnread = false
  #stopped = Promise.withResolvers<void>()

  constructor(fd: number) {
    this.#fd = fd
  }

  write(text: string): void {
    if (this.#isUnread || this.#waitingCharacters + text.length > waitingCharactersMax) return
    this.#waiting.push(text)
    this.#waitingCharacters += text.length
    if (!this.#isBusy()) this.#next()
  }

  /** Drops everything, now and later. */
  unread(): void {
    this.#isUnread = true
    this.#take()
    this.#rest = Buffer.alloc(0)
  }

  /** Writes once what waits and `text`, in a process that exits now. Whatever fails is given up. */
  writeLast(text: string): void {
    if (this.#isUnread) return
    if (this.#begunAt !== undefined && performance.now() - this.#begunAt > lastWriteMs)
      endWithBlockedThread()
    // The process does not end before the other thread has written its part.
    const rest = this.#begunAt === undefined ? this.#rest : Buffer.alloc(0)
    let last = Buffer.concat([rest, Buffer.from(this.#take() + text)])
    try {
      while (last.length > 0) last = last.subarray(writeSync(this.#fd, last))
    } catch {
      // Nobody is left to be told.
    }
  }

  /** Waits for what was written before, for a second at most. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isBusy()) return
    const { promise } = (this.#stopped = Promise.withResolvers<void>())
    const limit = setTimeout(() => {
      if (this.#begunAt !== undefined) endWithBlockedThread()
      this.#stops()
    }, lastWriteMs)
    await promise
    clearTimeout(limit)
  }

  #isBusy(): boolean {
    return this.#begunAt !== undefined || this.#again !== undefined
  }

  #take(): string {
    const text = this.#waiting.join('')
    this.#waiting = []
    this.#waitingCharacters = 0
    return text
  }

  #next(): void {
    this.#again = undefined
    if (this.#rest.length === 0) this.#rest = Buffer.from(this.#take())
    if (this.#rest.length === 0) return this.#stops()
    this.#begunAt = performance.now()
    write(this.#fd, this.#rest, (error, count) => this.#written(error, count))
  }

  #written(error: NodeJS.ErrnoException | null, count: number): void {
    this.#begunAt = undefined
    if (error === null) {
      this.#rest = this.#rest.subarray(count)
      return this.#next()
    }
    if (error.code === 'EAGAIN') {
      this.#again = setTimeout(() => this.#next(), fullMs)
      return
    }
    if (error.code === 'EPIPE') this.unread()
    // Of a full disk, for example: tried again with the next line.
    this.#stops()
  }

  #stops(): void {
    clearTimeout(this.#again)
    this.#again = undefined
    this.#stopped.resolve()
  }
}

/** Exiting waits for all threads (libuv joins its pool), also for one whose write never returns. */
function endWithBlockedThread(): void {
  process.kill(process.pid, 'SIGKILL')
}
