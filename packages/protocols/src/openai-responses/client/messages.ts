import {
  type ContentPart,
  GatewayError,
  invalidRequest,
  type Message,
  type ThinkingBlock,
  type ToolCall,
} from '@sluice/contract'
import { withSignature } from '../../call-signature.ts'
import { drawnImageUrl, messageContent, missing, spokenContent, toolOutput } from './content.ts'
import { isReference } from './history.ts'
import { restoreReasoning } from './reasoning.ts'
import type { InputItem } from './schema.ts'

/** What the assistant said in one turn, gathered from its items. */
interface Turn {
  text: string | undefined
  refusal: string | undefined
  readonly reasoning: string[]
  readonly blocks: ThinkingBlock[]
  readonly calls: ToolCall[]
}

/**
 * Input items as chat messages. An answer's reasoning, text and calls become one assistant message, because a tool
 * message must follow the message that holds its call. Error paths begin with `input`.
 */
export function messagesOf(input: string | readonly InputItem[]): readonly Message[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  const conversation = new Conversation()
  for (const [index, item] of input.entries()) conversation.add(item, `input[${index}]`)
  return conversation.finish()
}

class Conversation {
  readonly #messages: Message[] = []
  readonly #answered = new Set<string>()
  readonly #asked = new Set<string>()
  #turn: Turn | undefined
  /** Signatures of calls that are still to come (Gemini). */
  #signatures: Readonly<Record<string, string>> = {}
  /** Pictures and files that tools gave or the model drew; they follow the messages they came with. */
  #media: ContentPart[] = []

  add(item: InputItem, path: string): void {
    if (isReference(item))
      throw invalidRequest(`There is no item ${item.id ?? ''} to refer to`, `${path}.id`)
    switch (item.type ?? 'message') {
      case 'message':
        return this.#addMessage(item, path)
      case 'reasoning':
        return this.#addReasoning(item)
      case 'function_call':
      case 'custom_tool_call':
        return this.#addCall(item, path)
      case 'function_call_output':
      case 'custom_tool_call_output':
        return this.#addOutput(item, path)
      case 'image_generation_call':
        return this.#addPicture(item, path)
      default:
        throw new GatewayError(
          'unsupported_value',
          `Items of type ${item.type} are not supported`,
          {
            param: `${path}.type`,
          },
        )
    }
  }

  finish(): readonly Message[] {
    this.#endTurn()
    this.#endOutputs()
    return this.#messages
  }

  #addMessage(item: InputItem, path: string): void {
    const { role, content } = item
    if (role === undefined) throw missing(`${path}.role`)
    if (content == null) throw missing(`${path}.content`)
    this.#endOutputs()
    if (role === 'assistant') return this.#addAnswer(item)
    this.#endTurn()
    this.#messages.push({ role, content: messageContent(content, `${path}.content`) })
  }

  #addAnswer({ content }: InputItem): void {
    const { text, refusal } = spokenContent(content)
    const said = this.#turn?.text !== undefined || this.#turn?.refusal !== undefined
    // A second message of one answer stands alone, unless calls wait for their results.
    if (said && this.#turn?.calls.length === 0) this.#endTurn()
    const turn = this.#openTurn()
    if (text !== undefined) turn.text = turn.text === undefined ? text : `${turn.text}\n\n${text}`
    if (refusal !== undefined) turn.refusal = refusal
  }

  #addReasoning(item: InputItem): void {
    this.#endOutputs()
    const { text, blocks, signatures } = restoreReasoning(item)
    this.#signatures = { ...this.#signatures, ...signatures }
    const late = blocks.some(({ type }) => type === 'thought')
    // Reasoning opens the next answer; only Gemini signs a text after it.
    if (
      this.#turn?.text !== undefined &&
      this.#turn.calls.length === 0 &&
      !late &&
      signatures === undefined
    )
      this.#endTurn()
    const turn = this.#openTurn()
    if (text !== '') turn.reasoning.push(text)
    turn.blocks.push(...blocks)
  }

  #addCall(item: InputItem, path: string): void {
    const { call_id: id, name } = item
    if (id == null) throw missing(`${path}.call_id`)
    if (name == null) throw missing(`${path}.name`)
    this.#endOutputs()
    this.#asked.add(id)
    const signature = this.#signatures[id]
    const signed = signature === undefined ? {} : withSignature(signature)
    this.#openTurn().calls.push(
      item.type === 'custom_tool_call'
        ? { id, type: 'custom', custom: { name, input: item.input ?? '' }, ...signed }
        : { id, type: 'function', function: { name, arguments: item.arguments ?? '' }, ...signed },
    )
  }

  #addOutput(item: InputItem, path: string): void {
    const { call_id: id, output } = item
    if (id == null) throw missing(`${path}.call_id`)
    if (output === undefined) throw missing(`${path}.output`)
    if (!this.#asked.has(id) || this.#answered.has(id))
      throw invalidRequest(
        `No tool call waits for the output with call_id ${id}`,
        `${path}.call_id`,
      )
    this.#answered.add(id)
    this.#endTurn()
    const { content, media } = toolOutput(output, `${path}.output`)
    this.#messages.push({ role: 'tool', tool_call_id: id, content })
    this.#media.push(...media)
  }

  /** Chat's assistant messages hold no pictures, so one that the model drew is shown to it by the user. */
  #addPicture({ result, output_format: format }: InputItem, path: string): void {
    if (result == null) throw missing(`${path}.result`)
    this.#endTurn()
    this.#media.push({ type: 'image_url', image_url: { url: drawnImageUrl(result, format) } })
  }

  #openTurn(): Turn {
    this.#turn ??= { text: undefined, refusal: undefined, reasoning: [], blocks: [], calls: [] }
    return this.#turn
  }

  #endTurn(): void {
    const turn = this.#turn
    this.#turn = undefined
    if (turn !== undefined) this.#messages.push(assistantMessage(turn))
  }

  #endOutputs(): void {
    if (this.#media.length === 0) return
    this.#messages.push({ role: 'user', content: this.#media })
    this.#media = []
  }
}

function assistantMessage({ text, refusal, reasoning, blocks, calls }: Turn): Message {
  const silent = text === undefined && refusal === undefined && calls.length === 0
  return {
    role: 'assistant',
    content: text ?? (silent ? '' : null),
    ...(refusal === undefined ? {} : { refusal }),
    ...(reasoning.length === 0 ? {} : { reasoning_content: reasoning.join('\n\n') }),
    ...(blocks.length === 0 ? {} : { thinking_blocks: blocks }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}
