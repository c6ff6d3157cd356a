/** How an application of each client format asks, and what its answer says, read by hand from the wire. */
export interface Caller {
  /** As the table of the document names it. */
  readonly name: string
  /** The client formats it stands for. */
  readonly formats: readonly string[]
  readonly asks: readonly ('whole' | 'stream')[]
  readonly path: (model: string, stream: boolean) => string
  readonly body: (model: string, stream: boolean) => object
  readonly whole: (body: Fields) => Said
  readonly stream: (text: string) => Said
  /** The error's code; undefined where the body is no error of this format. */
  readonly error: (body: Fields, status: number) => { readonly code: string | null } | undefined
}

type Fields = Readonly<Record<string, unknown>>

/** What came of an answer: its text, and how it ended. */
export interface Said {
  readonly text: string
  /** `error`: the format's error event is the last. `open`: neither; a client would take it for broken off. */
  readonly end: 'whole' | 'error' | 'open'
}

const objects = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value : [])
const object = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}
const string = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The events of a stream: name and data. Throws where a line is none. */
function events(text: string): readonly { readonly event: string; readonly data: string }[] {
  const blocks = text.split(/\r?\n\r?\n/)
  if (blocks.at(-1) !== '') throw new Error('The last event has no end')
  return blocks.slice(0, -1).flatMap((block) => {
    const lines = block.split(/\r?\n/).filter((line) => !line.startsWith(':'))
    if (lines.length === 0) return []
    const field = (name: string) =>
      lines
        .filter((line) => line.startsWith(`${name}: `))
        .map((line) => line.slice(name.length + 2))
        .join('\n')
    if (lines.some((line) => !/^(?:event|data|id): /.test(line)))
      throw new Error(`No line of an event: ${block.slice(0, 200)}`)
    return [{ event: field('event'), data: field('data') }]
  })
}

const question = 'Say hello'

export function openaiError(body: Fields): { readonly code: string | null } | undefined {
  const error = object(body['error'])
  const { message, type, param, code } = error
  const isError =
    Object.keys(body).join() === 'error' &&
    typeof message === 'string' &&
    typeof type === 'string' &&
    (param === null || typeof param === 'string') &&
    (code === null || typeof code === 'string')
  return isError ? { code } : undefined
}

/** Chunks of chat and text completions: an error is the last event, and `[DONE]` follows a whole answer alone. */
function openaiStream(text: string, contentOf: (choice: Fields) => unknown): Said {
  const all = events(text)
  const isDone = all.at(-1)?.data === '[DONE]'
  const chunks = (isDone ? all.slice(0, -1) : all).map(({ data }) => JSON.parse(data) as Fields)
  const errorAt = chunks.findIndex((chunk) => 'error' in chunk)
  if (errorAt >= 0 && (errorAt < chunks.length - 1 || isDone))
    throw new Error('Something follows the error')
  const choices = chunks.flatMap((chunk) => objects(chunk['choices']))
  const finishes = choices.filter((choice) => choice['finish_reason'] === 'stop')
  if (isDone && finishes.length !== 1) throw new Error(`${finishes.length} finish reasons`)
  if (errorAt >= 0 && !openaiError(chunks[errorAt] ?? {})) throw new Error('No error of the format')
  return {
    text: choices.map((choice) => string(contentOf(choice))).join(''),
    end: errorAt >= 0 ? 'error' : isDone ? 'whole' : 'open',
  }
}

const chat: Caller = {
  name: 'chat',
  formats: ['chat'],
  asks: ['whole', 'stream'],
  path: () => '/v1/chat/completions',
  body: (model, stream) => ({ model, stream, messages: [{ role: 'user', content: question }] }),
  whole(body) {
    const [choice] = objects(body['choices'])
    const isWhole = body['object'] === 'chat.completion' && choice?.['finish_reason'] === 'stop'
    const { content } = object(choice?.['message'])
    return { text: string(content), end: isWhole ? 'whole' : 'open' }
  },
  stream: (text) => openaiStream(text, (choice) => object(choice['delta'])['content']),
  error: openaiError,
}

const completions: Caller = {
  name: 'completions',
  formats: ['complete'],
  asks: ['whole', 'stream'],
  path: () => '/v1/completions',
  body: (model, stream) => ({ model, stream, prompt: question }),
  whole(body) {
    const [choice] = objects(body['choices'])
    const isWhole = body['object'] === 'text_completion' && choice?.['finish_reason'] === 'stop'
    return { text: string(choice?.['text']), end: isWhole ? 'whole' : 'open' }
  },
  stream: (text) => openaiStream(text, (choice) => choice['text']),
  error: openaiError,
}

const responses: Caller = {
  name: 'responses',
  formats: ['responses'],
  asks: ['whole', 'stream'],
  path: () => '/v1/responses',
  body: (model, stream) => ({ model, stream, store: false, input: question }),
  whole(body) {
    const parts = objects(body['output']).flatMap((item) => objects(item['content']))
    return {
      text: parts.map((part) => string(part['text'])).join(''),
      end: body['object'] === 'response' && body['status'] === 'completed' ? 'whole' : 'open',
    }
  },
  stream(text) {
    const all = events(text).map(({ event, data }) => {
      const value = JSON.parse(data) as Fields
      if (value['type'] !== event) throw new Error(`${event} is not ${string(value['type'])}`)
      return value
    })
    const ends = /^(?:response\.(?:completed|failed|incomplete|cancelled)|error)$/
    const endAt = all.findIndex(({ type }) => ends.test(string(type)))
    if (endAt >= 0 && endAt < all.length - 1) throw new Error('Something follows the end')
    const last = all[endAt]?.['type']
    return {
      text: all
        .filter(({ type }) => type === 'response.output_text.delta')
        .map(({ delta }) => string(delta))
        .join(''),
      end: last === 'response.completed' ? 'whole' : last === undefined ? 'open' : 'error',
    }
  },
  error: openaiError,
}

function anthropicError(body: Fields): { readonly code: string | null } | undefined {
  const { type, message } = object(body['error'])
  const isError =
    body['type'] === 'error' && typeof type === 'string' && typeof message === 'string'
  return isError ? { code: null } : undefined
}

const messages: Caller = {
  name: 'messages',
  formats: ['messages'],
  asks: ['whole', 'stream'],
  path: () => '/v1/messages',
  body: (model, stream) => ({
    model,
    stream,
    max_tokens: 100,
    messages: [{ role: 'user', content: question }],
  }),
  whole: (body) => ({
    text: objects(body['content'])
      .map((block) => string(block['text']))
      .join(''),
    end: body['type'] === 'message' && body['stop_reason'] === 'end_turn' ? 'whole' : 'open',
  }),
  stream(text) {
    const all = events(text).map(({ event, data }) => {
      const value = JSON.parse(data) as Fields
      if (value['type'] !== event) throw new Error(`${event} is not ${string(value['type'])}`)
      return value
    })
    const endAt = all.findIndex(({ type }) => type === 'message_stop' || type === 'error')
    if (endAt >= 0 && endAt < all.length - 1) throw new Error('Something follows the end')
    const last = all[endAt]
    if (last?.['type'] === 'error' && !anthropicError(last))
      throw new Error('No error of the format')
    const type = last?.['type']
    return {
      text: all.map(({ delta }) => string(object(delta)['text'])).join(''),
      end: type === 'message_stop' ? 'whole' : type === 'error' ? 'error' : 'open',
    }
  },
  error: anthropicError,
}

function geminiError(body: Fields, status: number): { readonly code: string | null } | undefined {
  const { code, message, status: name } = object(body['error'])
  const isError = code === status && typeof message === 'string' && typeof name === 'string'
  return isError ? { code: null } : undefined
}

function geminiFragments(fragments: readonly Fields[]): Said {
  const errorAt = fragments.findIndex((fragment) => 'error' in fragment)
  if (errorAt >= 0 && errorAt < fragments.length - 1) throw new Error('Something follows the error')
  const candidates = fragments.flatMap((fragment) => objects(fragment['candidates']))
  const parts = candidates.flatMap(({ content }) => objects(object(content)['parts']))
  const isWhole = candidates.at(-1)?.['finishReason'] === 'STOP'
  const error = fragments[errorAt]
  if (error && !geminiError(error, Number(object(error['error'])['code'])))
    throw new Error('No error of the format')
  return {
    text: parts.map((part) => string(part['text'])).join(''),
    end: error ? 'error' : isWhole ? 'whole' : 'open',
  }
}

const contents = { contents: [{ role: 'user', parts: [{ text: question }] }] }

const gemini: Caller = {
  name: 'gemini',
  formats: ['generateContent', 'streamGenerateContent'],
  asks: ['whole', 'stream'],
  path: (model, stream) =>
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: () => contents,
  whole: (body) => geminiFragments([body]),
  stream: (text) => geminiFragments(events(text).map(({ data }) => JSON.parse(data) as Fields)),
  error: geminiError,
}

/** Streams as one JSON array, as Gemini's do without `alt=sse`. */
const geminiArray: Caller = {
  ...gemini,
  name: 'gemini array',
  formats: ['streamGenerateContent'],
  asks: ['stream'],
  path: (model) => `/v1beta/models/${model}:streamGenerateContent`,
  stream(text) {
    const value: unknown = JSON.parse(text)
    return geminiFragments(Array.isArray(value) ? objects(value) : [object(value)])
  },
}

export const callers: readonly Caller[] = [
  chat,
  completions,
  responses,
  messages,
  gemini,
  geminiArray,
]
