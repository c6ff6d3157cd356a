import { GatewayError } from '@sluice/contract'
import type { InputItem, OutputItem, ResponsesRequest } from './schema.ts'

/** Input items with ids, as they are stored and listed by `GET /v1/responses/{id}/input_items`. */
export function inputItems(
  request: Input,
  newId: (prefix: string) => string,
): readonly OutputItem[] {
  return itemsOf(request).map((item) => listedItem(item, newId))
}

interface Input {
  readonly input?: ResponsesRequest['input'] | null
}

/** The input as items. A bare text is a message of the user. */
export function itemsOf({ input }: Input): readonly InputItem[] {
  return typeof input === 'string'
    ? [{ type: 'message', role: 'user', content: input }]
    : (input ?? [])
}

const prefixes: Readonly<Record<string, string>> = {
  message: 'msg_',
  reasoning: 'rs_',
  function_call: 'fc_',
  function_call_output: 'fco_',
  custom_tool_call: 'ctc_',
  custom_tool_call_output: 'ctco_',
  compaction: 'cmp_',
}

function listedItem(item: InputItem, newId: (prefix: string) => string): OutputItem {
  const type = item.type ?? 'message'
  const id = item.id ?? newId(prefixes[type] ?? 'item_')
  if (type !== 'message') return { ...item, id, type }
  const { content, role } = item
  const kind = role === 'assistant' ? 'output_text' : 'input_text'
  const parts = typeof content === 'string' ? [textPart(kind, content)] : content
  return { ...item, id, type, content: parts, status: item.status ?? 'completed' }
}

function textPart(type: string, text: string): object {
  return type === 'output_text' ? { type, text, annotations: [], logprobs: [] } : { type, text }
}

/**
 * Creates ids for the output items of one response. They contain the response's id, so that a reference to an item
 * (`item_reference`) shows where the item is stored.
 */
export function itemIds(responseId: string): (prefix: string) => string {
  const own = responseId.replace(/^resp_/, '')
  let count = 0
  return (prefix) => `${prefix}${own}_${count++}`
}

/** The ids of the responses whose items the input refers to. */
export function referredResponses(request: Input): readonly string[] {
  const ids = itemsOf(request)
    .filter(isReference)
    .flatMap(({ id }) => {
      const own = /^[a-z]+_(.+)_\d+$/.exec(id ?? '')?.[1]
      return own === undefined ? [] : [`resp_${own}`]
    })
  return [...new Set(ids)]
}

/** The request with references to these items replaced by the items. Other references stay. */
export function withReferences(
  request: ResponsesRequest,
  items: readonly OutputItem[],
): ResponsesRequest {
  if (typeof request.input === 'string') return request
  const known = new Map(items.map((item) => [item.id, item]))
  return {
    ...request,
    input: itemsOf(request).map((item) =>
      isReference(item) ? (known.get(item.id ?? '') ?? item) : item,
    ),
  }
}

/**
 * The request with the conversation before it. `previous` holds the earlier items in order, inputs and outputs. An earlier
 * item that the input refers to is placed where the reference is. The previous response is thereby included; its instructions
 * do not carry over (OpenAI API, previous_response_id).
 */
export function withHistory(
  request: ResponsesRequest,
  previous: readonly OutputItem[],
): ResponsesRequest {
  const { previous_response_id: _, ...rest } = request
  const own = itemsOf(request)
  const referred = new Set(own.filter(isReference).map(({ id }) => id))
  const before = previous.filter(({ id }) => !referred.has(id))
  return withReferences({ ...rest, input: [...before, ...own] }, previous)
}

/**
 * The request for a provider that has not made its items: without their ids, and without reasoning of which they have nothing else.
 * What refers to another item stays.
 */
export function withoutPlace(request: ResponsesRequest): ResponsesRequest {
  const input = itemsOf(request).flatMap((item) => {
    if (isReference(item)) return [item]
    const { id: _, ...portable } = item
    const hasWords = (item.content?.length ?? 0) > 0 || item.encrypted_content != null
    return item.type === 'reasoning' && !hasWords ? [] : [portable]
  })
  return { ...request, input }
}

/** A reference may omit its type; then it has only an id. */
export function isReference({ type, id, role }: InputItem): boolean {
  return type === 'item_reference' || (type == null && role == null && id != null)
}

/** OpenAI's error for an unknown previous_response_id. */
export function responseNotFound(id: string): GatewayError {
  return new GatewayError('invalid_request', `Previous response with id '${id}' not found.`, {
    param: 'previous_response_id',
    publicCode: 'previous_response_not_found',
  })
}

/** The items of a conversation that still apply: a compaction replaces all items before it. */
export function sinceCompaction(items: readonly OutputItem[]): readonly OutputItem[] {
  const at = items.findLastIndex(({ type }) => type === 'compaction')
  return at < 0 ? items : items.slice(at)
}
