import { ask } from '../../api/client.ts'

/** What is asked for, and how its request is sent. */
export interface Operation {
  readonly path: string
  readonly example: Readonly<Record<string, unknown>>
  /** Its body is a form with this field for a file. */
  readonly fileField?: string
  readonly answers: 'json' | 'audio' | 'images' | 'video'
}

export const operations = {
  chat: { path: 'v1/chat/completions', example: {}, answers: 'json' },
  embeddings: { path: 'v1/embeddings', example: { input: 'A short text' }, answers: 'json' },
  rerank: {
    path: 'v1/rerank',
    example: { query: 'What is a sluice?', documents: ['A gate for water', 'A kind of bread'] },
    answers: 'json',
  },
  moderations: { path: 'v1/moderations', example: { input: 'A short text' }, answers: 'json' },
  speech: {
    path: 'v1/audio/speech',
    example: { input: 'The gate is open.', voice: 'alloy', response_format: 'mp3' },
    answers: 'audio',
  },
  transcriptions: {
    path: 'v1/audio/transcriptions',
    example: { response_format: 'json' },
    fileField: 'file',
    answers: 'json',
  },
  images: {
    path: 'v1/images/generations',
    example: { prompt: 'A gate in a river', size: '512x512', response_format: 'b64_json' },
    answers: 'images',
  },
  edits: {
    path: 'v1/images/edits',
    example: { prompt: 'Make it evening', response_format: 'b64_json' },
    fileField: 'image',
    answers: 'images',
  },
  videos: {
    path: 'v1/videos',
    example: { prompt: 'A gate in a river opens', seconds: '4' },
    answers: 'video',
  },
} as const satisfies Readonly<Record<string, Operation>>

export type OperationName = keyof typeof operations

/** What came of a request so far. */
export interface Outcome {
  readonly text: string
  readonly reasoning: string
  /** The events of a stream, or the answer, as they came. */
  readonly events: readonly string[]
  /** Addresses of sound, pictures and clips that came. */
  readonly media: readonly { readonly kind: 'audio' | 'image' | 'video'; readonly url: string }[]
  /** Of a video, from 0 to 100. */
  readonly progress?: number
  readonly firstMs?: number
  readonly totalMs?: number
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly costMicroUsd?: number | null
  readonly error?: string
  readonly isRunning: boolean
}

export const nothingYet: Outcome = {
  text: '',
  reasoning: '',
  events: [],
  media: [],
  isRunning: false,
}

export type Told = (change: Partial<Outcome>) => void

/** A session is taken for a request of this page alone. */
const headers = { 'x-sluice-console': '1' }
const eventsMax = 2_000
const pollMs = 1_000

interface Sending {
  readonly name: OperationName
  readonly body: Readonly<Record<string, unknown>>
  readonly file?: File | undefined
  readonly signal: AbortSignal
  /** Whether what it cost may be looked up. */
  readonly mayLook: boolean
}

/** Sends a request and tells what comes of it, bit by bit. Never rejects. */
export async function run(sending: Sending, tell: Told): Promise<void> {
  const begun = performance.now()
  const since = () => performance.now() - begun
  tell({ ...nothingYet, isRunning: true })
  try {
    const response = await send(sending)
    const id = response.headers.get('x-sluice-call-id') ?? response.headers.get('x-request-id')
    if (!response.ok) throw new Error(await errorIn(response))
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

function send({ name, body, file, signal }: Sending): Promise<Response> {
  const operation: Operation = operations[name]
  if (operation.fileField === undefined)
    return fetch(operation.path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    })
  const form = new FormData()
  for (const [field, value] of Object.entries(body))
    form.append(field, typeof value === 'string' ? value : JSON.stringify(value))
  if (file) form.append(operation.fileField, file)
  return fetch(operation.path, { method: 'POST', headers, body: form, signal })
}

async function errorIn(response: Response): Promise<string> {
  const answered: unknown = await response.json().catch(() => undefined)
  const { error } = (answered ?? {}) as { readonly error?: { readonly message?: string } }
  return error?.message ?? `Status ${response.status}`
}

interface Taking {
  readonly tell: Told
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

/** Pictures in base64 are shown as pictures, and not as text. */
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
      readonly tool_calls?: readonly unknown[]
    }
  }[]
}

function seenIn(answered: unknown): Partial<Outcome> {
  const { text, data = [], choices = [] } = answered as Answered
  const message = choices[0]?.message
  const media = data.flatMap(({ b64_json: picture, url }) =>
    picture === undefined && url === undefined
      ? []
      : [{ kind: 'image' as const, url: url ?? `data:image/png;base64,${picture}` }],
  )
  const sound = message?.audio?.data
  return {
    text: text ?? message?.content ?? message?.audio?.transcript ?? '',
    media: sound === undefined ? media : [{ kind: 'audio', url: `data:audio/wav;base64,${sound}` }],
  }
}

interface Chunk {
  readonly error?: { readonly message?: string }
  readonly choices?: readonly {
    readonly delta?: {
      readonly content?: string | null
      readonly reasoning_content?: string | null
      readonly tool_calls?: readonly {
        readonly function?: { readonly name?: string; readonly arguments?: string }
      }[]
    }
  }[]
}

async function takeStream({ body }: Response, { tell, since }: Taking): Promise<void> {
  if (!body) return
  let left = ''
  let text = ''
  let reasoning = ''
  let firstMs: number | undefined
  const events: string[] = []
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    left += piece
    const blocks = left.split('\n\n')
    left = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, data] = /^data: (.*)$/m.exec(block) ?? []
      if (data === undefined) continue
      if (events.length < eventsMax) events.push(data)
      if (data === '[DONE]') continue
      const { choices, error }: Chunk = JSON.parse(data)
      if (error) throw new Error(error.message)
      const delta = choices?.[0]?.delta
      for (const { function: called } of delta?.tool_calls ?? [])
        text += (called?.name === undefined ? '' : `\n${called.name} `) + (called?.arguments ?? '')
      text += delta?.content ?? ''
      reasoning += delta?.reasoning_content ?? ''
    }
    if (text !== '' || reasoning !== '') firstMs ??= since()
    tell({ text, reasoning, events: [...events], ...(firstMs !== undefined && { firstMs }) })
  }
}

interface Task {
  readonly id: string
  readonly status: string
  readonly progress?: number
  readonly error?: { readonly message?: string } | null
}

/** A video is asked for again until it is there. */
async function takeVideo(first: unknown, signal: AbortSignal, tell: Told): Promise<void> {
  let task = first as Task
  while (task.status === 'queued' || task.status === 'in_progress') {
    tell({ progress: task.progress ?? 0 })
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    const response = await fetch(`v1/videos/${task.id}`, { headers, signal })
    if (!response.ok) throw new Error(await errorIn(response))
    task = (await response.json()) as Task
  }
  if (task.status !== 'completed') throw new Error(task.error?.message ?? task.status)
  const clip = await fetch(`v1/videos/${task.id}/content`, { headers, signal })
  if (!clip.ok) throw new Error(await errorIn(clip))
  tell({ progress: 100, media: [{ kind: 'video', url: URL.createObjectURL(await clip.blob()) }] })
}

/** A call is in the ledger a moment after its end. */
const recordTries = 8

/** What the ledger says of it; nothing where it cannot be had. */
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
