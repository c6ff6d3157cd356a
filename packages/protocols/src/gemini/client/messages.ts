import {
  type ContentPart,
  type Fields,
  formatJson,
  invalidRequest,
  isObject,
  listOf,
  type Message,
  objectOf,
  someText,
  textOf,
  type ThinkingBlock,
  type ToolCall,
} from '@sluice/contract'
import { missingParameter } from '../../missing-parameter.ts'
import { withSignature } from '../../call-signature.ts'
import { serverToolText } from '../../server-tools.ts'
import { textOfResponse } from '../function-responses.ts'
import { memberOf } from '../part-members.ts'
import { camelCase } from '../letter-case.ts'
import { pick } from '../spelling.ts'
import { ServerTools } from '../server-tools.ts'
import { restoreBlocks } from '../signatures.ts'
import { refuse } from './refuse.ts'
import { mediaContent } from './media.ts'

/** Parts that only Gemini's own tools produce. */
const toolParts = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse']

/** A call of the model's last turn that has no result yet. */
interface OpenCall {
  readonly id: string
  readonly name: string
}

/** A part and its path in the client's request. */
interface Placed {
  readonly part: Fields
  readonly path: string
}

/** Neighboring contents of one side. Each keeps its own parts. */
interface Turn {
  readonly isModel: boolean
  readonly contents: (readonly Placed[])[]
}

/**
 * Translates Gemini's contents into chat messages. `path` is their place in the client's request. Neighboring contents of the
 * model become one message, because Google's clients keep every fragment of a stream as a content of its own.
 */
export function messagesOf(
  contents: readonly unknown[],
  path: string,
  newId: (prefix: string) => string,
): readonly Message[] {
  let open: readonly OpenCall[] = []
  let drawn: readonly ContentPart[] = []
  const messages = turnsOf(contents, path).flatMap(({ isModel, contents: own }) => {
    if (!isModel) {
      const shown = [...toolMessages(own.flat(), open), ...showing(drawn)]
      drawn = []
      return [...shown, ...own.flatMap(userMessages)]
    }
    const message = assistantMessage(own.flat(), newId)
    const calls = message.tool_calls ?? []
    open = calls.map(({ id, function: made }) => ({ id, name: made?.name ?? '' }))
    drawn = own.flat().flatMap(pictures)
    return [message]
  })
  return [...messages, ...showing(drawn)]
}

/**
 * Assistant messages of chat completions cannot contain images, so images that the model made are sent to it in a user
 * message.
 */
function showing(drawn: readonly ContentPart[]): readonly Message[] {
  return drawn.length === 0 ? [] : [{ role: 'user', content: [...drawn] }]
}

function pictures({ part, path }: Placed): readonly ContentPart[] {
  const media = mediaContent(part, path)
  if (media.some(({ type }) => type !== 'image_url')) {
    const name = pick(part, 'inlineData') === undefined ? 'fileData' : 'inlineData'
    refuse(`${path}.${name}`, 'of media only pictures can be in the model’s turn')
  }
  return media
}

function turnsOf(contents: readonly unknown[], path: string): readonly Turn[] {
  const turns: Turn[] = []
  for (const [index, content] of contents.entries()) {
    const fields = objectOf(content)
    const isModel = fields['role'] === 'model'
    const parts = listOf(fields['parts'])
      .filter(isObject)
      .map((part, place) => ({ part, path: `${path}[${index}].parts[${place}]` }))
    for (const { part, path: place } of parts) checkPartKind(part, place)
    if (!isModel) refuseToolParts(parts)
    const last = turns.at(-1)
    if (last?.isModel === isModel) last.contents.push(parts)
    else turns.push({ isModel, contents: [parts] })
  }
  return turns
}

function refuseToolParts(parts: readonly Placed[]): void {
  for (const { part, path } of parts)
    for (const name of toolParts) if (pick(part, name) !== undefined) refuse(`${path}.${name}`)
}

export function textsOf(parts: readonly Fields[]): readonly string[] {
  return parts
    .filter((part) => part['thought'] !== true)
    .map((part) => textOf(part['text']))
    .filter((text) => text !== '')
}

function assistantMessage(placed: readonly Placed[], newId: (prefix: string) => string): Message {
  for (const { part, path } of placed)
    if (pick(part, 'functionResponse') !== undefined)
      refuse(`${path}.functionResponse`, 'it cannot be in the model’s turn')
  const parts = placed.map(({ part }) => part)
  const text = withServerTools(parts, newId)
  const thoughts = parts.filter((part) => part['thought'] === true)
  const reasoning = thoughts.map((part) => textOf(part['text'])).join('')
  const calls = placed.flatMap((each) => toolCalls(each, newId))
  const blocks = parts.flatMap(blocksOf)
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(blocks.length === 0 ? {} : { thinking_blocks: blocks }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

/** The text, including a description of what Google's own tools did. */
function withServerTools(parts: readonly Fields[], newId: (prefix: string) => string): string {
  const tools = new ServerTools(newId)
  const texts = parts.flatMap((part): readonly string[] => {
    const calls = tools.read({ content: { parts: [camelParts(part)] } }).map(serverToolText)
    return calls.length === 0 ? textsOf([part]) : [`\n\n${calls.join('\n')}\n\n`]
  })
  const rest = tools.rest().map(serverToolText)
  const text = [...texts, ...rest].join('')
  return parts.some((part) => toolParts.some((name) => pick(part, name) !== undefined))
    ? text.trim()
    : text
}

/** Clients may write the names in snake case. */
function camelParts(part: Fields): Fields {
  return Object.fromEntries(toolParts.map((name) => [name, pick(part, name)]))
}

function blocksOf(part: Fields): readonly ThinkingBlock[] {
  const signature = someText(pick(part, 'thoughtSignature'))
  if (signature === undefined) return []
  const carried = restoreBlocks(signature)
  if (carried !== undefined) return carried
  return pick(part, 'functionCall') === undefined ? [{ type: 'thought', signature }] : []
}

function toolCalls({ part, path }: Placed, newId: (prefix: string) => string): readonly ToolCall[] {
  const call = pick(part, 'functionCall')
  if (!isObject(call)) return []
  const name = someText(call['name'])
  if (name === undefined) throw missingParameter(`${path}.functionCall.name`)
  const signature = someText(pick(part, 'thoughtSignature'))
  const isOwn = signature !== undefined && restoreBlocks(signature) === undefined
  return [
    {
      id: someText(call['id']) ?? newId('call_'),
      type: 'function',
      function: { name, arguments: formatJson(call['args'] ?? {}) },
      ...(isOwn ? withSignature(signature) : {}),
    },
  ]
}

/** Results come first, because in chat completions they must directly follow their calls. */
function toolMessages(placed: readonly Placed[], given: readonly OpenCall[]): readonly Message[] {
  const open = new OpenCalls(given)
  return placed.flatMap(({ part, path }): readonly Message[] => {
    const response = pick(part, 'functionResponse')
    if (!isObject(response)) return []
    const place = `${path}.functionResponse`
    const media = listOf(response['parts']).flatMap((inner, index) =>
      resultMedia(inner, `${place}.parts[${index}]`),
    )
    const call = open.take(response)
    if (call === undefined)
      throw invalidRequest('No function call of the model’s last turn has this result', place)
    const text = textOfResponse(response['response'])
    const content: Message['content'] =
      media.length === 0 ? text : [...(text === '' ? [] : [textPart(text)]), ...media]
    return [{ role: 'tool', tool_call_id: call.id, content }]
  })
}

function textPart(text: string): ContentPart {
  return { type: 'text', text }
}

/** A file in a result (Gemini API, FunctionResponsePart). */
function resultMedia(inner: unknown, path: string): readonly ContentPart[] {
  const content = isObject(inner) ? mediaContent(inner, path) : []
  return content.length === 0 ? refuse(path) : content
}

/** The calls of a turn, each of which takes one result. Finding them stays fast for any number of calls. */
class OpenCalls {
  readonly #byId: ReadonlyMap<unknown, OpenCall[]>
  readonly #byName: ReadonlyMap<unknown, OpenCall[]>
  readonly #answered = new Set<OpenCall>()

  constructor(calls: readonly OpenCall[]) {
    const lastFirst = calls.toReversed()
    this.#byId = Map.groupBy(lastFirst, ({ id }) => id)
    this.#byName = Map.groupBy(lastFirst, ({ name }) => name)
  }

  /** The call that a result belongs to: by its id if it has one, otherwise the first open call of the function. */
  take(response: Fields): OpenCall | undefined {
    const ofId = this.#firstOf(this.#byId.get(someText(response['id'])))
    const call = ofId ?? this.#firstOf(this.#byName.get(response['name']))
    if (call) this.#answered.add(call)
    return call
  }

  #firstOf(calls: OpenCall[] | undefined): OpenCall | undefined {
    let first = calls?.at(-1)
    while (calls && first && this.#answered.has(first)) {
      calls.pop()
      first = calls.at(-1)
    }
    return first
  }
}

function userMessages(placed: readonly Placed[]): readonly Message[] {
  const content = placed.flatMap(({ part, path }): readonly ContentPart[] => {
    const text = someText(part['text'])
    if (text !== undefined) return part['thought'] === true ? [] : [{ type: 'text', text }]
    if (pick(part, 'functionCall') !== undefined)
      throw invalidRequest(
        'Only contents of role model may contain function calls',
        `${path}.functionCall`,
      )
    return mediaContent(part, path)
  })
  const [first] = content
  if (first === undefined)
    return placed.length > 0 && placed.every(({ part }) => part['text'] === '')
      ? [{ role: 'user', content: '' }]
      : []
  const isText = content.length === 1 && first.type === 'text'
  return [{ role: 'user', content: isText ? (first.text ?? '') : content }]
}

/** Rejects a part of an unknown kind, and one with several, of which Gemini reads none. `path` is the part's place. */
export function checkPartKind(part: Fields, path: string): void {
  const names = Object.entries(part)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name]) => camelCase(name))
  const kinds = names.filter((name) => memberOf(name) === 'kind')
  if (kinds.length > 1) refuse(path, `a part holds one of ${kinds.join(', ')}`)
  const unknown = names.find((name) => memberOf(name) === 'unread')
  if (kinds.length === 0 && unknown !== undefined)
    refuse(path, `only Gemini itself knows parts of kind ${unknown}`)
}
