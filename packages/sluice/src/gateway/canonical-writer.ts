import {
  chatUsage,
  formatEvent,
  type GatewayError,
  keepAliveComment,
  noUsage,
  type OperationName,
  type Usage,
} from '@sluice/contract'
import type { StreamWriter } from '@sluice/protocols'

const contentType = 'text/event-stream; charset=utf-8'
const done = 'data: [DONE]\n\n'

/** The stream of an operation in its own form: chunks and `[DONE]`, or named events (OpenAI API, streaming). */
export function canonicalWriter(
  operation: OperationName,
  request: Readonly<Record<string, unknown>>,
): StreamWriter<OperationName> {
  return operation === 'chat' || operation === 'complete'
    ? chunkWriter(asksForUsage(request))
    : typedWriter
}

export function asksForUsage(request: Readonly<Record<string, unknown>>): boolean {
  const options = request['stream_options']
  return (
    typeof options === 'object' &&
    options !== null &&
    'include_usage' in options &&
    options.include_usage === true
  )
}

/** With include_usage every chunk carries `usage: null` and one last chunk without choices carries the numbers. */
function chunkWriter(includeUsage: boolean): StreamWriter<OperationName> {
  let usage: Usage = noUsage
  let head: Record<string, unknown> = {}
  return {
    contentType,
    keepAlive: keepAliveComment,
    write(step) {
      if ('usage' in step) {
        usage = step.usage
        return ''
      }
      if (includeUsage) {
        const { choices: _choices, ...rest } = step.event as { choices?: unknown }
        head = rest
        return `data: ${JSON.stringify({ ...step.event, usage: null })}\n\n`
      }
      return `data: ${JSON.stringify(step.event)}\n\n`
    },
    end() {
      if (!includeUsage) return done
      const chunk = { ...head, choices: [], usage: chatUsage(usage) }
      return `data: ${JSON.stringify(chunk)}\n\n${done}`
    },
    fail: failure,
  }
}

const typedWriter: StreamWriter<OperationName> = {
  contentType,
  keepAlive: keepAliveComment,
  write(step) {
    if ('usage' in step) return ''
    const event = step.event as { readonly type?: string }
    return formatEvent({ event: event.type ?? '', data: JSON.stringify(event) })
  },
  end: () => '',
  fail: (error) =>
    formatEvent({ event: 'error', data: JSON.stringify({ type: 'error', ...error.toJSON() }) }),
}

/** The error takes the place of what was to come; a `[DONE]` after it would say that all was well. */
function failure(error: GatewayError): string {
  return `data: ${JSON.stringify(error.toJSON())}\n\n`
}

/** What a stream passed on as it came still needs when its upstream left out the format's last event. */
export function missingTerminal(operation: OperationName, hasFormat: boolean): string {
  return !hasFormat && (operation === 'chat' || operation === 'complete') ? done : ''
}
