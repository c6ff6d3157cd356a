import {
  type ChatChunk,
  chatUsage,
  type FinishReason,
  formatEvent,
  type GatewayError,
  keepAliveComment,
  noUsage,
  type Step,
  type Usage,
} from '@sluice/contract'
import type { FormatContext, StreamWriter } from '../../protocol.ts'
import { outcomeOf, responseBase, usageOf, wantsLogprobs } from './reply.ts'
import type { ResponseObject, ResponsesRequest } from './schema.ts'
import { itemIds } from './history.ts'
import { StreamedOutput } from './streamed-output.ts'

/** Writes the events of a response (OpenAI API, ResponseStreamEvent); there is no `[DONE]`. */
export function writeResponse(
  request: ResponsesRequest,
  context: FormatContext,
): StreamWriter<'chat'> {
  return new ResponseWriter(request, context)
}

class ResponseWriter implements StreamWriter<'chat'> {
  readonly contentType = 'text/event-stream; charset=utf-8'
  readonly keepAlive = keepAliveComment
  readonly #request: ResponsesRequest
  readonly #context: FormatContext
  readonly #id: string
  readonly #output: StreamedOutput
  #response: ResponseObject | undefined
  #whole: ResponseObject | undefined
  #usage: Usage = noUsage
  #reason: FinishReason = 'stop'
  #tier: string | undefined
  #sequence = 0
  #text = ''

  constructor(request: ResponsesRequest, context: FormatContext) {
    this.#request = request
    this.#context = context
    this.#id = context.newId('resp_')
    this.#output = new StreamedOutput({
      itemId: itemIds(this.#id),
      callId: () => context.newId('call_'),
      logprobs: wantsLogprobs(request),
      tell: (type, fields) => this.#tell(type, fields),
    })
  }

  write(step: Step<ChatChunk>): string {
    if ('usage' in step) {
      this.#usage = step.usage
      return ''
    }
    this.#begin(step.event.model)
    this.#tier = step.event.service_tier ?? this.#tier
    for (const choice of step.event.choices) {
      if (choice.index !== 0) continue
      this.#output.add(choice.delta, choice.logprobs ?? null)
      this.#reason = choice.finish_reason ?? this.#reason
    }
    return this.#take()
  }

  end(): string {
    const begun = this.#begin(this.#request.model)
    const outcome = outcomeOf(this.#reason, this.#seconds())
    this.#output.close(this.#reason === 'length' ? 'incomplete' : 'completed')
    const response: ResponseObject = {
      ...begun,
      ...outcome,
      service_tier: this.#tier ?? begun.service_tier,
      output: [...this.#output.items],
      usage: usageOf(chatUsage(this.#usage)),
    }
    this.#whole = response
    this.#tell(`response.${outcome.status}`, { response })
    return this.#take()
  }

  whole(): ResponseObject | undefined {
    return this.#whole
  }

  fail(error: GatewayError): string {
    const begun = this.#begin(this.#request.model)
    // The API's own words where the error has none (ResponseErrorCode).
    const code = error.publicCode ?? (error.blame === 'caller' ? 'invalid_prompt' : 'server_error')
    const response: ResponseObject = {
      ...begun,
      status: 'failed',
      error: { code, message: error.message },
      output: [...this.#output.items],
    }
    this.#tell('response.failed', { response })
    return this.#take()
  }

  /** The response as it was when it began; the first call announces it. */
  #begin(model: string): ResponseObject {
    if (this.#response !== undefined) return this.#response
    const base = { id: this.#id, model, created: this.#seconds() }
    const response = responseBase(this.#request, base)
    this.#response = response
    this.#tell('response.created', { response })
    this.#tell('response.in_progress', { response })
    return response
  }

  #seconds(): number {
    return Math.floor(this.#context.now() / 1000)
  }

  #tell(type: string, fields: object): void {
    const data = JSON.stringify({ type, sequence_number: this.#sequence++, ...fields })
    this.#text += formatEvent({ event: type, data })
  }

  #take(): string {
    const text = this.#text
    this.#text = ''
    return text
  }
}
