import {
  type Fields,
  isObject,
  listOf,
  objectOf,
  type ServerSentEvent,
  someText,
  type Step,
  type TypedEvent,
  type Usage,
} from '@sluice/contract'
import { repeatsText, textBytesIn } from '../../event-text.ts'
import { errorIn, upstreamError } from '../../failure.ts'
import type { StreamWatcher, Verdict } from '../../protocol.ts'
import { eventObject } from '../../read-json.ts'
import { readUsage } from '../../usage.ts'

/**
 * Streams whose events have a `type`: speech, transcripts and images (OpenAI API). The type is in the data, or only in the
 * event's name. The last event ends in `.done` or `.completed`; `[DONE]` may follow.
 */
export function createTypedEventReader(): {
  read(event: ServerSentEvent): readonly Step<TypedEvent>[]
  end(): readonly Step<TypedEvent>[]
} {
  // Of a transcript in chunks that have no type.
  let heard: string | undefined
  return {
    read(event) {
      const data = eventObject(event)
      if (data === undefined) return []
      const usage = eventUsage(data)
      const used = usage === undefined ? [] : [{ usage }]
      const delta = chunkText(data)
      if (delta !== undefined) {
        heard = (heard ?? '') + delta
        const typed = { type: 'transcript.text.delta', delta }
        return delta === '' ? used : [{ event: typed }, ...used]
      }
      const type = typeOf(event)
      return type === undefined ? [] : [{ event: { ...data, type } }, ...used]
    },
    end: () =>
      heard === undefined ? [] : [{ event: { type: 'transcript.text.done', text: heard } }],
  }
}

const countText = textBytesIn('delta', 'text', 'content', 'transcript')

export function createTypedEventWatcher(): StreamWatcher {
  let usage: Usage | undefined
  const see = (event: ServerSentEvent): Verdict => {
    if (event.data.trim() === '[DONE]') return 'terminal'
    const data = eventObject(event)
    if (data === undefined) return event.event === 'error' ? upstreamError(event.data) : 'garbage'
    const error = errorIn(data)
    if (error !== undefined) return upstreamError(error)
    const delta = chunkText(data)
    if (delta !== undefined) {
      usage = eventUsage(data) ?? usage
      if (endsTranscript(data)) return 'finish'
      return delta === '' ? 'other' : 'content'
    }
    const type = typeOf(event)
    if (type === 'error') return upstreamError(data)
    usage = eventUsage(data) ?? usage
    if (type === undefined) return 'other'
    return /\.(done|completed)$/.test(type) ? 'finish' : 'content'
  }
  const textBytes = (data: string) => (repeatsText(data) ? 0 : countText(data))
  return { see, usage: () => usage, textBytes }
}

function typeOf(event: ServerSentEvent): string | undefined {
  return someText(eventObject(event)?.['type']) ?? someText(event.event)
}

function eventUsage(data: Fields): Usage | undefined {
  return mediaUsage(data['usage'])
}

/** Usage of audio: tokens, or only seconds (OpenAI API, TranscriptTextUsageDuration; Mistral). */
export function mediaUsage(value: unknown): Usage | undefined {
  const usage = readUsage(value)
  const seconds = secondsOf(value)
  if (seconds === undefined) return usage
  return { ...(usage ?? { inputTokens: 0, outputTokens: 0 }), seconds }
}

function secondsOf(value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const found: { readonly seconds?: unknown; readonly prompt_audio_seconds?: unknown } = value
  const seconds = found.seconds ?? found.prompt_audio_seconds
  return typeof seconds === 'number' && seconds >= 0 ? seconds : undefined
}

// vLLM streams transcripts in chunks like those of a chat (docs.vllm.ai, transcriptions API).

/** The text that a chunk adds to the transcript; undefined if the event is not such a chunk. */
function chunkText(data: Fields): string | undefined {
  if (!Array.isArray(data['choices']) || data['type'] !== undefined) return undefined
  return listOf(data['choices'])
    .map((choice) => someText(objectOf(objectOf(choice)['delta'])['content']) ?? '')
    .join('')
}

/** Whether a chunk has a finish reason, so that no text follows it. */
function endsTranscript(data: Fields): boolean {
  return listOf(data['choices']).some(
    (choice) => isObject(choice) && someText(choice['finish_reason']) !== undefined,
  )
}
