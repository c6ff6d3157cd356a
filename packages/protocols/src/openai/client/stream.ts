import {
  type ChatChunk,
  chatUsage,
  formatEvent,
  type GatewayError,
  keepAliveComment,
  noUsage,
  type OperationName,
  type Usage,
} from '@sluice/contract'
import type { StreamWriter } from '../../client-format.ts'

const contentType = 'text/event-stream; charset=utf-8'

/** The last event of chat and text completions (OpenAI API, streaming). */
export const done = 'data: [DONE]\n\n'

export function asksForUsage(request: unknown): boolean {
  const { stream_options: options } = request as { readonly stream_options?: unknown }
  return (
    typeof options === 'object' &&
    options !== null &&
    'include_usage' in options &&
    options.include_usage === true
  )
}

/**
 * Writes chunks and `[DONE]`. With include_usage, every chunk has `usage: null`, and a last chunk without choices holds the
 * numbers. `said` returns a chunk in the form that the caller reads, or undefined if it is not meant for the caller.
 */
export function writeChunks(
  request: unknown,
  said: (chunk: ChatChunk) => object | undefined = (chunk) => chunk,
): StreamWriter<OperationName> {
  const includeUsage = asksForUsage(request)
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
      // Chunks of text completions are written unchanged.
      const event = said(step.event as ChatChunk)
      if (event === undefined) return ''
      if (includeUsage) {
        const { choices: _choices, ...rest } = event as { choices?: unknown }
        head = rest
        return `data: ${JSON.stringify({ ...event, usage: null })}\n\n`
      }
      return `data: ${JSON.stringify(event)}\n\n`
    },
    end() {
      if (!includeUsage) return done
      const chunk = { ...head, choices: [], usage: chatUsage(usage) }
      return `data: ${JSON.stringify(chunk)}\n\n${done}`
    },
    fail: failure,
  }
}

/** The error is sent instead of the rest. `[DONE]` after it would indicate success. */
function failure(error: GatewayError): string {
  return `data: ${JSON.stringify(error.toJSON())}\n\n`
}

/** Writes named events, each with its `type`; speech, transcripts and images are streamed this way. */
export function writeTypedEvents(): StreamWriter<OperationName> {
  return {
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
}
