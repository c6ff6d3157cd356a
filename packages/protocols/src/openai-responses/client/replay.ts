import { type Fields, formatEvent, formatJson, listOf, objectOf, textOf } from '@sluice/contract'

/**
 * The events of a response that is complete, as its stream would have had them (OpenAI API, ResponseStreamEvent), with each text in
 * one piece. `after` is the number of the last event that the caller has; later ones are returned.
 */
export function replayed(response: Fields, after = -1): string {
  let number = 0
  let text = ''
  const tell: Tell = (type, fields) => {
    const event = { type, sequence_number: number, ...fields }
    if (number > after) text += formatEvent({ event: type, data: formatJson(event) })
    number += 1
  }
  const begun = { ...response, status: 'in_progress', output: [], usage: null }
  tell('response.created', { response: begun })
  tell('response.in_progress', { response: begun })
  for (const [index, item] of listOf(response['output']).map(objectOf).entries())
    tellItem(item, { output_index: index, item_id: item['id'] }, tell)
  tell(lastEvent[textOf(response['status'])] ?? 'response.completed', { response })
  return text
}

type Tell = (type: string, fields: Fields) => void

/** Where in the response something stands. */
type Place = { readonly output_index: number; readonly item_id: unknown }

const lastEvent: Readonly<Record<string, string>> = {
  failed: 'response.failed',
  incomplete: 'response.incomplete',
}

/** The text of an item that is told in pieces, by the type of the item. */
const texts: Readonly<Record<string, readonly [field: string, event: string]>> = {
  function_call: ['arguments', 'response.function_call_arguments'],
  mcp_call: ['arguments', 'response.mcp_call_arguments'],
  custom_tool_call: ['input', 'response.custom_tool_call_input'],
  code_interpreter_call: ['code', 'response.code_interpreter_call_code'],
}

function tellItem(item: Fields, place: Place, tell: Tell): void {
  const { output_index } = place
  const [field, event] = texts[textOf(item['type'])] ?? []
  const empty = {
    ...item,
    ...('status' in item && { status: 'in_progress' }),
    ...('content' in item && { content: [] }),
    ...('summary' in item && { summary: [] }),
    ...(field !== undefined && { [field]: '' }),
  }
  tell('response.output_item.added', { output_index, item: empty })
  for (const [index, part] of listOf(item['summary']).map(objectOf).entries())
    tellPart(part, { ...place, summary_index: index }, { tell, ...summaries })
  for (const [index, part] of listOf(item['content']).map(objectOf).entries())
    tellPart(part, { ...place, content_index: index }, { tell, ...partKind(part) })
  if (field !== undefined && event !== undefined) {
    tell(`${event}.delta`, { ...place, delta: item[field] ?? '' })
    const named = item['type'] === 'function_call' ? { name: item['name'] } : {}
    tell(`${event}.done`, { ...place, [field]: item[field] ?? '', ...named })
  }
  tell('response.output_item.done', { output_index, item })
}

/** How the parts of a kind are told. */
interface PartKind {
  readonly part: string
  readonly field: 'text' | 'refusal'
  readonly event: string
}

const summaries: PartKind = {
  part: 'response.reasoning_summary_part',
  field: 'text',
  event: 'response.reasoning_summary_text',
}

function partKind({ type }: Fields): PartKind {
  const part = 'response.content_part'
  if (type === 'refusal') return { part, field: 'refusal', event: 'response.refusal' }
  if (type === 'reasoning_text') return { part, field: 'text', event: 'response.reasoning_text' }
  return { part, field: 'text', event: 'response.output_text' }
}

function tellPart(
  given: Fields,
  place: Fields,
  { tell, part, field, event }: PartKind & { readonly tell: Tell },
): void {
  const said = given[field] ?? ''
  const notes = listOf(given['annotations'])
  const empty = {
    ...given,
    [field]: '',
    ...('annotations' in given && { annotations: [] }),
    ...('logprobs' in given && { logprobs: [] }),
  }
  tell(`${part}.added`, { ...place, part: empty })
  const logprobs = event === 'response.output_text' ? { logprobs: given['logprobs'] ?? [] } : {}
  if (said !== '') tell(`${event}.delta`, { ...place, delta: said, ...logprobs })
  for (const [index, annotation] of notes.entries())
    tell('response.output_text.annotation.added', {
      ...place,
      annotation_index: index,
      annotation,
    })
  tell(`${event}.done`, { ...place, [field]: said, ...logprobs })
  tell(`${part}.done`, { ...place, part: given })
}
