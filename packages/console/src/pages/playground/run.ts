import { ask, errorIn, sessionHeaders } from '../../api/client.ts'
import type { Fields } from '../../parts/fields.ts'
import { type Operation, type OperationName, operations } from './operations.ts'
import { nothingYet, type Outcome, type ToolCall } from './outcome.ts'

export type OutcomeListener = (change: Partial<Outcome>) => void

const eventsMax = 2_000
const pollMs = 1_000

interface Sending {
  readonly name: OperationName
  readonly body: Fields
  readonly file?: File | undefined
  readonly mask?: File | undefined
  readonly signal: AbortSignal
  /** Whether the cost may be looked up. */
  readonly mayLook: boolean
}

/** Sends a request and reports its result as it arrives. Never rejects. */
export async function run(sending: Sending, tell: OutcomeListener): Promise<void> {
  const startedAt = performance.now()
  const since = () => performance.now() - startedAt
  tell({ ...nothingYet, isRunning: true })
  try {
    const response = await send(sending)
    const id = response.headers.get('x-sluice-call-id') ?? response.headers.get('x-request-id')
    if (sending.mayLook && id !== null) tell({ requestId: id })
    if (!response.ok) throw await errorIn(response)
    await take(response, sending, { tell, since })
    tell({ totalMs: since(), ...(sending.mayLook && (await recordOf(id))) })
  } catch (thrown) {
    const isStopped = thrown instanceof DOMException && thrown.name === 'AbortError'
    tell({
      totalMs: since(),
      ...(!isStopped && { error: thrown instanceof Error ? thrown.message : String(thrown) }),
    })
  }
  tell({ isRunning: false })
}

function send({ name, body, file, mask, signal }: Sending): Promise<Response> {
  const operation: Operation = operations[name]
  if (operation.fileField === undefined)
    return fetch(operation.path, {
      method: 'POST',
      headers: { ...sessionHeaders, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    })
  const form = new FormData()
  for (const [field, value] of Object.entries(body))
    form.append(field, typeof value === 'string' ? value : JSON.stringify(value))
  if (file) form.append(operation.fileField, file)
  if (mask) form.append('mask', mask)
  return fetch(operation.path, { method: 'POST', headers: sessionHeaders, body: form, signal })
}

interface Taking {
  readonly tell: OutcomeListener
  readonly since: () => number
}

async function take(response: Response, sending: Sending, taking: Taking): Promise<void> {
  const { tell } = taking
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) return takeStream(response, taking)
  if (/^(?:audio|video|image)\//.test(type)) {
    const kind = type.slice(0, 5) as 'audio' | 'image' | 'video'
    tell({ media: [{ kind, url: URL.createObjectURL(await response.blob()) }] })
    return
  }
  const answered: unknown = await response.json()
  tell({ events: [JSON.stringify(shortened(answered), null, 2)] })
  if (sending.name === 'videos') return takeVideo(answered, sending.signal, tell)
  tell(seenIn(answered))
}

/** Shortens long strings, such as base64 images, which are shown as images instead of text. */
function shortened(value: unknown): unknown {
  if (typeof value === 'string' && value.length > 2_000)
    return `${value.slice(0, 80)}… (${value.length})`
  if (Array.isArray(value)) {
    const items = value.length > 20 ? [...value.slice(0, 20), `… (${value.length})`] : value
    return items.map(shortened)
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortened(item)]))
}

interface Answered {
  readonly text?: string
  readonly data?: readonly { readonly b64_json?: string; readonly url?: string }[]
  readonly choices?: readonly {
    readonly message?: {
      readonly content?: string | null
      readonly audio?: { readonly data?: string; readonly transcript?: string }
      readonly tool_calls?: readonly CalledTool[]
    }
  }[]
}

interface CalledTool {
  readonly id?: string
  readonly function?: { readonly name?: string; readonly arguments?: string }
}

function seenIn(answered: unknown): Partial<Outcome> {
  const { text, data = [], choices = [] } = answered as Answered
  const message = choices[0]?.message
  const pictures = data.flatMap(({ b64_json: picture, url }) =>
    picture === undefined && url === undefined
      ? []
      : [{ kind: 'image' as const, url: url ?? `data:image/png;base64,${picture}` }],
  )
  const sound = message?.audio?.data
  return {
    text: text ?? message?.content ?? message?.audio?.transcript ?? '',
    media: sound === undefined ? pictures : [{ kind: 'audio', url: soundUrl(sound) }],
    toolCalls: (message?.tool_calls ?? []).map(({ id = '', function: called }) => ({
      id,
      name: called?.name ?? '',
      arguments: called?.arguments ?? '',
    })),
  }
}

/** A URL that the content security policy lets a player open: it allows no data URLs. */
function soundUrl(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.codePointAt(0) ?? 0)
  return URL.createObjectURL(new Blob([bytes], { type: 'audio/wav' }))
}

interface Chunk {
  readonly error?: { readonly message?: string }
  readonly choices?: readonly {
    readonly delta?: {
      readonly content?: string | null
      readonly reasoning_content?: string | null
      readonly tool_calls?: readonly (CalledTool & { readonly index?: number })[]
    }
  }[]
}

/** Accumulates the chunks of a stream. */
class StreamedAnswer {
  text = ''
  reasoning = ''
  readonly events: string[] = []
  readonly toolCalls: ToolCall[] = []

  /** Throws the error that an event reports. */
  take(data: string): void {
    if (this.events.length < eventsMax) this.events.push(data)
    if (data === '[DONE]') return
    const { choices, error }: Chunk = JSON.parse(data)
    if (error) throw new Error(error.message)
    const delta = choices?.[0]?.delta
    this.text += delta?.content ?? ''
    this.reasoning += delta?.reasoning_content ?? ''
    for (const { index = 0, id, function: called } of delta?.tool_calls ?? []) {
      const before = this.toolCalls[index]
      this.toolCalls[index] = {
        id: before?.id || (id ?? ''),
        name: before?.name || (called?.name ?? ''),
        arguments: (before?.arguments ?? '') + (called?.arguments ?? ''),
      }
    }
  }

  get isBegun(): boolean {
    return this.text !== '' || this.reasoning !== '' || this.toolCalls.length > 0
  }
}

async function takeStream({ body }: Response, { tell, since }: Taking): Promise<void> {
  if (!body) return
  const answer = new StreamedAnswer()
  let left = ''
  let firstMs: number | undefined
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (left + piece).split('\n\n')
    left = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, data] = /^data: (.*)$/m.exec(block) ?? []
      if (data !== undefined) answer.take(data)
    }
    if (answer.isBegun) firstMs ??= since()
    const { text, reasoning, events, toolCalls } = answer
    tell({
      text,
      reasoning,
      events: [...events],
      toolCalls: toolCalls.filter((call) => call !== undefined),
      ...(firstMs !== undefined && { firstMs }),
    })
  }
}

interface Task {
  readonly id: string
  readonly status: string
  readonly progress?: number
  readonly error?: { readonly message?: string } | null
}

/** Polls a video job until it has ended. */
async function takeVideo(
  first: unknown,
  signal: AbortSignal,
  tell: OutcomeListener,
): Promise<void> {
  let task = first as Task
  while (task.status === 'queued' || task.status === 'in_progress') {
    tell({ progress: task.progress ?? 0 })
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    const response = await fetch(`v1/videos/${task.id}`, { headers: sessionHeaders, signal })
    if (!response.ok) throw await errorIn(response)
    task = (await response.json()) as Task
  }
  if (task.status !== 'completed') throw new Error(task.error?.message ?? task.status)
  const clip = await fetch(`v1/videos/${task.id}/content`, { headers: sessionHeaders, signal })
  if (!clip.ok) throw await errorIn(clip)
  tell({ progress: 100, media: [{ kind: 'video', url: URL.createObjectURL(await clip.blob()) }] })
}

/** Maximum number of lookups: a call is in the ledger shortly after its end. */
const recordTries = 8

/** The ledger's entry of the call; empty if it cannot be read. */
async function recordOf(id: string | null): Promise<Partial<Outcome>> {
  if (id === null) return {}
  for (let tries = 1; ; tries += 1)
    try {
      const found = await ask('getRequest', { path: { id } })
      const { inputTokens, outputTokens, costMicroUsd } = found
      return { inputTokens, outputTokens, costMicroUsd }
    } catch {
      if (tries === recordTries) return {}
      await new Promise((resolve) => setTimeout(resolve, pollMs))
    }
}
