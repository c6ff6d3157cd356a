/** What a running task may report to the process that requested it. */
interface TaskContext {
  /** Reports how much of the work is done, 0 to 1. */
  readonly progress: (done: number) => void
}

/**
 * Work for a worker process. Input and result are sent between processes: only plain data and typed arrays (structured clone).
 * A GatewayError thrown here reaches the caller as the same GatewayError.
 */
export type Task<Input, Result> = (input: Input, context: TaskContext) => Promise<Result>

/** A table of tasks by name; each one is loaded on its first use. */
export type TaskTable = Readonly<Record<string, () => Promise<Task<never, unknown>>>>

type TaskOf<Table extends TaskTable, Name extends keyof Table> = Awaited<ReturnType<Table[Name]>>

export type TaskInput<Table extends TaskTable, Name extends keyof Table> = Parameters<
  TaskOf<Table, Name>
>[0]

export type TaskResult<Table extends TaskTable, Name extends keyof Table> = Awaited<
  ReturnType<TaskOf<Table, Name>>
>

/** Gateway to worker: one job at a time. */
export interface JobMessage {
  readonly task: string
  readonly input: unknown
}

/** Worker to gateway. After an outcome the worker is free for the next job. */
export type WorkerMessage =
  | { readonly kind: 'progress'; readonly done: number }
  | (Outcome & {
      /** Whether it uses so much memory that the next job could not have its full share. */
      readonly isSpent: boolean
    })

export type Outcome =
  | { readonly kind: 'done'; readonly result: unknown }
  | {
      readonly kind: 'refused'
      readonly code: string
      readonly message: string
      readonly param: string | undefined
    }
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string | undefined }
