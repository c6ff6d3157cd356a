import { formatJson, parseJson } from '../../../packages/contract/src/wire/json.ts'

/** The content of a response for a client of some format, assembled by independent code from the transmitted bytes. */
export interface ClientAnswer {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[]
  readonly finish: string
  /** Total input and output tokens. */
  readonly usage: readonly [number, number]
  /** What the client sends back as the assistant's turn. */
  readonly turn: readonly unknown[]
}

type Fields = Readonly<Record<string, unknown>>

const objects = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value : [])
const object = (value: unknown): Fields => (value ?? {}) as Fields
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const count = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** The data of server-sent events, in order; comments are skipped. */
function events(wire: string): readonly Fields[] {
  return wire
    .split('\n\n')
    .filter((part) => part !== '' && !part.startsWith(':'))
    .map((part) => {
      const line = part.split('\n').find((each) => each.startsWith('data: '))
      return object(parseJson((line ?? '').slice('data: '.length)))
    })
}

function message(answer: Fields): ClientAnswer {
  const content = objects(answer['content'])
  const usage = object(answer['usage'])
  const cached = count(usage['cache_read_input_tokens'])
  const written = count(usage['cache_creation_input_tokens'])
  const joined = (field: string) => content.map((block) => text(block[field])).join('')
  return {
    text: joined('text'),
    reasoning: joined('thinking'),
    calls: content
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({
        id: text(id),
        name: text(name),
        input: formatJson(input),
      })),
    finish: text(answer['stop_reason']),
    usage: [count(usage['input_tokens']) + cached + written, count(usage['output_tokens'])],
    turn: content,
  }
}

function streamedMessage(wire: string): ClientAnswer {
  const told = events(wire)
  const content: Record<string, unknown>[] = []
  let start: Fields = {}
  let last: Fields = {}
  for (const event of told) {
    const delta = object(event['delta'])
    const block = content[count(event['index'])]
    if (event['type'] === 'message_start') start = object(event['message'])
    else if (event['type'] === 'content_block_start')
      content.push({ ...object(event['content_block']), json: '' })
    else if (event['type'] === 'message_delta')
      last = { ...object(event['delta']), usage: event['usage'] }
    else if (event['type'] === 'content_block_delta' && block !== undefined)
      for (const [field, piece] of [
        ['text', delta['text']],
        ['thinking', delta['thinking']],
        ['signature', delta['signature']],
        ['json', delta['partial_json']],
      ] as const)
        if (piece !== undefined) block[field] = text(block[field]) + text(piece)
  }
  if (told.at(-1)?.['type'] !== 'message_stop') throw new Error('No message_stop')
  const blocks = content.map(({ json, ...block }) =>
    block['type'] === 'tool_use' ? { ...block, input: parseJson(text(json) || '{}') } : block,
  )
  return message({ ...start, ...last, content: blocks })
}

function response(answer: Fields): ClientAnswer {
  const output = objects(answer['output'])
  const usage = object(answer['usage'])
  const reason = object(answer['incomplete_details'])['reason']
  const partsOf = (item: Fields) => objects(item['content'])
  return {
    text: output
      .flatMap(partsOf)
      .map((part) => text(part['text'] ?? part['refusal']))
      .join(''),
    reasoning: output
      .flatMap((item) => objects(item['summary']))
      .map((part) => text(part['text']))
      .join(''),
    calls: output
      .filter(({ type }) => type === 'function_call')
      .map((item) => ({
        id: text(item['call_id']),
        name: text(item['name']),
        input: text(item['arguments']),
      })),
    finish: text(reason ?? answer['status']),
    usage: [count(usage['input_tokens']), count(usage['output_tokens'])],
    turn: output,
  }
}

/** Items are assembled from the events alone; the last event, which holds them whole, must agree. */
function streamedResponse(wire: string): ClientAnswer {
  const told = events(wire)
  if (told.some((event, index) => event['sequence_number'] !== index))
    throw new Error('The numbers have gaps')
  const items: Record<string, unknown>[] = []
  const place = (event: Fields) => (items[count(event['output_index'])] ??= {})
  const grow = (holder: Record<string, unknown>, field: string, piece: unknown) => {
    holder[field] = text(holder[field]) + text(piece)
  }
  const part = (event: Fields, list: string, index: string, type: string) => {
    const item = place(event)
    const parts = (item[list] ??= []) as Record<string, unknown>[]
    return (parts[count(event[index])] ??= { type })
  }
  for (const event of told) {
    const { delta } = event
    switch (event['type']) {
      case 'response.output_item.added':
        Object.assign(place(event), object(event['item']))
        break
      case 'response.output_text.delta':
        grow(part(event, 'content', 'content_index', 'output_text'), 'text', delta)
        break
      case 'response.refusal.delta':
        grow(part(event, 'content', 'content_index', 'refusal'), 'refusal', delta)
        break
      case 'response.reasoning_summary_text.delta':
        grow(part(event, 'summary', 'summary_index', 'summary_text'), 'text', delta)
        break
      case 'response.function_call_arguments.delta':
        grow(place(event), 'arguments', delta)
        break
      case 'response.output_item.done': {
        // The encrypted content is not sent in pieces.
        const { encrypted_content: encrypted } = object(event['item'])
        if (encrypted !== undefined) place(event)['encrypted_content'] = encrypted
        break
      }
      default:
    }
  }
  const whole = object(told.at(-1)?.['response'])
  const pieced = response({ ...whole, output: items })
  const said = response(whole)
  if (JSON.stringify({ ...pieced, turn: [] }) !== JSON.stringify({ ...said, turn: [] }))
    throw new Error('The last event says something else than the pieces')
  return pieced
}

function fragments(list: readonly Fields[]): ClientAnswer {
  const candidates = list.flatMap(({ candidates: found }) => objects(found))
  const parts = candidates.flatMap(({ content }) => objects(object(content)['parts']))
  const usage = object(
    list.findLast(({ usageMetadata: found }) => found != null)?.['usageMetadata'],
  )
  const joined = (isThought: boolean) =>
    parts
      .filter(({ thought }) => (thought === true) === isThought)
      .map((part) => text(part['text']))
      .join('')
  return {
    text: joined(false),
    reasoning: joined(true),
    calls: parts.flatMap(({ functionCall }) => {
      if (functionCall === undefined) return []
      const { id, name, args } = object(functionCall)
      return [{ id: text(id), name: text(name), input: formatJson(args) }]
    }),
    finish: text(candidates.findLast((each) => each['finishReason'] != null)?.['finishReason']),
    usage: [
      count(usage['promptTokenCount']),
      count(usage['candidatesTokenCount']) + count(usage['thoughtsTokenCount']),
    ],
    turn: parts,
  }
}

/** How a client reads a whole response, by the name of the format. */
export const wholeAnswer: Readonly<Record<string, (answer: Fields) => ClientAnswer>> = {
  generateContent: (answer) => fragments([answer]),
  messages: message,
  responses: response,
}

/** How a client assembles a stream, by the name of the format. */
export const streamedAnswer: Readonly<Record<string, (wire: string) => ClientAnswer>> = {
  generateContent: (wire) =>
    fragments(wire.startsWith('[') ? objects(parseJson(wire)) : events(wire)),
  messages: streamedMessage,
  responses: streamedResponse,
}
