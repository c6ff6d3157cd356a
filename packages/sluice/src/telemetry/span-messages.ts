// Prompts and responses as OpenTelemetry's span attributes gen_ai.input.messages, gen_ai.output.messages and
// gen_ai.system_instructions (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/, "Recording content on
// attributes"). Built from masked content, in the thread that masks.
import { type FormatMessages, parsedFields, type PlainMessage } from '@sluice/protocols'
import type { SpanContent } from './content-thread.ts'

export interface MaskedTexts {
  readonly request: string
  readonly answer: string
  readonly isStream: boolean
  /** The end reason given by a stream. */
  readonly endReason: string | undefined
}

/** The attributes of a call's span, each as JSON text. */
export function spanContent(
  messages: FormatMessages,
  texts: MaskedTexts,
): Omit<SpanContent, 'callId'> {
  const asked = messages.asked(parsedFields(texts.request))
  const input = asked.messages.length > 0 ? asked.messages : whole('user', texts.request)
  return {
    input: JSON.stringify(input),
    output: JSON.stringify(outputOf(messages, texts)),
    ...(asked.system.length > 0 && { system: JSON.stringify(asked.system) }),
  }
}

function outputOf(
  messages: FormatMessages,
  { answer, isStream, endReason }: MaskedTexts,
): readonly PlainMessage[] {
  const given = parsedFields(answer)
  const answered = messages.answered(given)
  const found = answered.length === 0 && isStream ? messages.streamed(given) : answered
  const shown = found.length > 0 ? found : whole('assistant', answer)
  return shown.map((message) => ({ finish_reason: endReason ?? 'unknown', ...message }))
}

/** Cut content is no longer JSON and is passed as one text. */
function whole(role: string, content: string): readonly PlainMessage[] {
  return content === '' ? [] : [{ role, parts: [{ type: 'text', content }] }]
}
