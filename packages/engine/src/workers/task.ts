/** What a running task may tell the thread that asked for it. */
export interface TaskContext {
  /** Reports how much of the work is done, 0 to 1. */
  readonly progress: (done: number) => void
}

/**
 * Work for a worker thread. Input and result cross a thread boundary: plain data and typed arrays only (structured
 * clone). A GatewayError thrown here arrives at the caller as the same GatewayError.
 */
export type Task<Input, Result> = (input: Input, context: TaskContext) => Promise<Result>

/** A table of tasks by name, each loaded when it is first asked for. */
export type TaskTable = Readonly<Record<string, () => Promise<Task<never, unknown>>>>

type TaskOf<Table extends TaskTable, Name extends keyof Table> = Awaited<ReturnType<Table[Name]>>

export type TaskInput<Table extends TaskTable, Name extends keyof Table> = Parameters<
  TaskOf<Table, Name>
>[0]

export type TaskResult<Table extends TaskTable, Name extends keyof Table> = Awaited<
  ReturnType<TaskOf<Table, Name>>
>

/** Main thread to worker: one job at a time. */
export interface JobMessage {
  readonly task: string
  readonly input: unknown
}

/** Worker to main thread. After `done` or `failed` the worker is free for the next job. */
export type WorkerMessage =
  | { readonly kind: 'progress'; readonly done: number }
  | { readonly kind: 'done'; readonly result: unknown }
  | {
      readonly kind: 'refused'
      readonly code: string
      readonly message: string
      readonly param?: string
    }
  | { readonly kind: 'failed'; readonly message: string; readonly stack?: string }
