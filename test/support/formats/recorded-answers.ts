// The content of providers' recorded responses, read by independent code: what a caller must receive for each.
import { listOf, objectOf, textOf } from '../../../packages/contract/src/wire/reading.ts'

type Fields = Readonly<Record<string, unknown>>

/** The content of a recorded response. */
export interface Recorded {
  readonly text: string
  /** For a free-form call, the input is the text. */
  readonly calls: readonly { readonly name: string; readonly input: unknown }[]
  readonly finish: 'stop' | 'calls' | 'length' | 'filter'
}

const words: Readonly<Record<string, Recorded['finish']>> = {
  stop: 'stop',
  end_turn: 'stop',
  completed: 'stop',
  COMPLETE: 'stop',
  STOP: 'stop',
  tool_calls: 'calls',
  tool_use: 'calls',
  'tool-calls': 'calls',
  TOOL_CALL: 'calls',
  length: 'length',
  MAX_TOKENS: 'length',
  max_tokens: 'length',
  refusal: 'filter',
}

interface Building {
  text: string
  readonly calls: { name: string; input: unknown }[]
  reason: string
}

function recorded({ text, calls, reason }: Building): Recorded {
  const finish = words[reason]
  if (finish === undefined) throw new Error(`An answer that ends with ${JSON.stringify(reason)}`)
  return { text, calls, finish: finish === 'stop' && calls.length > 0 ? 'calls' : finish }
}

/** The arguments of a call; missing arguments, or `null`, become an empty object. */
function input(text: unknown): unknown {
  return JSON.parse(textOf(text) || '{}') ?? {}
}

/** A text, or the joined text of its parts. */
function said(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .map((part) => textOf(objectOf(part)['text']))
    .join('')
}

function message({ content, tool_calls: calls }: Fields, reason: unknown): Recorded {
  return recorded({
    text: said(content),
    calls: listOf(calls).map((call) => {
      const { name, arguments: text } = objectOf(objectOf(call)['function'])
      return { name: textOf(name), input: input(text) }
    }),
    reason: textOf(reason),
  })
}

function blocks(content: unknown, reason: unknown): Recorded {
  const list = listOf(content).map(objectOf)
  return recorded({
    text: list.map(({ text }) => textOf(text)).join(''),
    calls: list.flatMap((block) => {
      const use = objectOf(block['toolUse'] ?? (block['type'] === 'tool_use' ? block : undefined))
      return use['name'] === undefined ? [] : [{ name: textOf(use['name']), input: use['input'] }]
    }),
    reason: textOf(reason),
  })
}

function items(output: unknown, status: unknown): Recorded {
  const list = listOf(output).map(objectOf)
  return recorded({
    text: list
      .filter(({ type }) => type === 'message')
      .map(({ content }) => said(content))
      .join('\n\n'),
    calls: list.flatMap(({ type, name, arguments: text, input: free }) => {
      if (type === 'custom_tool_call') return [{ name: textOf(name), input: free }]
      return type === 'function_call' ? [{ name: textOf(name), input: input(text) }] : []
    }),
    reason: textOf(status),
  })
}

function candidate(body: Fields): Recorded {
  const { content, finishReason } = objectOf(listOf(body['candidates'])[0])
  const parts = listOf(objectOf(content)['parts']).map(objectOf)
  return recorded({
    text: parts
      .filter(({ thought }) => thought !== true)
      .map(({ text }) => textOf(text))
      .join(''),
    calls: parts.flatMap(({ functionCall }) => {
      const { name, args } = objectOf(functionCall)
      return name === undefined ? [] : [{ name: textOf(name), input: args }]
    }),
    reason: textOf(finishReason),
  })
}

/** The content of a whole chat response; undefined for other documents. */
export function wholeRecorded(body: Fields): Recorded | undefined {
  const choice = objectOf(listOf(body['choices'])[0])
  if ('message' in choice) return message(objectOf(choice['message']), choice['finish_reason'])
  if ('message' in body) return message(objectOf(body['message']), body['finish_reason'])
  if ('candidates' in body) return candidate(body)
  if ('stopReason' in body)
    return blocks(objectOf(objectOf(body['output'])['message'])['content'], body['stopReason'])
  if (body['type'] === 'message') return blocks(body['content'], body['stop_reason'])
  return body['object'] === 'response' ? items(body['output'], body['status']) : undefined
}

/** The content of a chat stream; undefined for other streams. */
export function streamRecorded(events: readonly Fields[]): Recorded | undefined {
  const all = (type: string) => events.filter((event) => event['type'] === type)
  if (events.some(({ candidates }) => candidates !== undefined)) return fragments(events)
  if (all('response.created').length > 0)
    return items(
      all('response.output_item.done').map(({ item }) => item),
      objectOf(all('response.completed')[0]?.['response'])['status'],
    )
  if (all('message_start').length > 0) return blockEvents(events)
  if (all('message-start').length > 0) return cohereEvents(events)
  if (events.some((event) => 'messageStop' in event)) return converseEvents(events)
  return events.some((event) => 'delta' in objectOf(listOf(event['choices'])[0]))
    ? chunks(events)
    : undefined
}

function fragments(events: readonly Fields[]): Recorded {
  const all = events.map((event) => objectOf(listOf(event['candidates'])[0]))
  const parts = all.flatMap(({ content }) => listOf(objectOf(content)['parts']))
  const reason = all.findLast(({ finishReason: word }) => word !== undefined)?.['finishReason']
  return candidate({ candidates: [{ content: { parts }, finishReason: reason }] })
}

/** Assembles calls whose arguments come in pieces, by their index. */
class Pieces {
  text = ''
  reason = ''
  readonly #calls = new Map<unknown, { name: string; json: string }>()

  begin(slot: unknown, name: unknown): void {
    if (textOf(name) !== '' && !this.#calls.has(slot))
      this.#calls.set(slot, { name: textOf(name), json: '' })
  }

  grow(slot: unknown, json: unknown): void {
    const call = this.#calls.get(slot)
    if (call) call.json += textOf(json)
  }

  recorded(): Recorded {
    const calls = [...this.#calls.values()].map(({ name, json }) => ({ name, input: input(json) }))
    return recorded({ text: this.text, calls, reason: this.reason })
  }
}

function chunks(events: readonly Fields[]): Recorded {
  const pieces = new Pieces()
  for (const event of events) {
    const { delta, finish_reason: reason } = objectOf(listOf(event['choices'])[0])
    const { content, tool_calls: calls } = objectOf(delta)
    pieces.text += said(content)
    pieces.reason = textOf(reason) || pieces.reason
    for (const call of listOf(calls).map(objectOf)) {
      const { name, arguments: text } = objectOf(call['function'])
      pieces.begin(call['index'], name)
      pieces.grow(call['index'], text)
    }
  }
  return pieces.recorded()
}

function blockEvents(events: readonly Fields[]): Recorded {
  const pieces = new Pieces()
  for (const { index, delta, content_block: block } of events) {
    const { text, partial_json: json, stop_reason: reason } = objectOf(delta)
    if (objectOf(block)['type'] === 'tool_use') pieces.begin(index, objectOf(block)['name'])
    pieces.text += textOf(objectOf(block)['text']) + textOf(text)
    pieces.grow(index, json)
    pieces.reason = textOf(reason) || pieces.reason
  }
  return pieces.recorded()
}

function cohereEvents(events: readonly Fields[]): Recorded {
  const pieces = new Pieces()
  for (const { index, type, delta } of events) {
    const { message: told, finish_reason: reason } = objectOf(delta)
    const { content, tool_calls: call } = objectOf(told)
    const { name, arguments: text } = objectOf(objectOf(call)['function'])
    if (type === 'tool-call-start') pieces.begin(index, name)
    pieces.grow(index, text)
    pieces.text += textOf(objectOf(content)['text'])
    pieces.reason = textOf(reason) || pieces.reason
  }
  return pieces.recorded()
}

function converseEvents(events: readonly Fields[]): Recorded {
  const pieces = new Pieces()
  for (const { contentBlockStart, contentBlockDelta, messageStop } of events) {
    const { start, contentBlockIndex: begun } = objectOf(contentBlockStart)
    const { delta, contentBlockIndex: grown } = objectOf(contentBlockDelta)
    const { text, toolUse } = objectOf(delta)
    pieces.begin(begun, objectOf(objectOf(start)['toolUse'])['name'])
    pieces.grow(grown, objectOf(toolUse)['input'])
    pieces.text += textOf(text)
    pieces.reason = textOf(objectOf(messageStop)['stopReason']) || pieces.reason
  }
  return pieces.recorded()
}
