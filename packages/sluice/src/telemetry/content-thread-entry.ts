// The code of the thread that content-thread.ts starts.
import {
  type FormatMessages,
  parsedFields,
  type PlainMessage,
} from '@sluice/protocols/format-messages.ts'
import type { ClientFormat } from '@sluice/protocols/client-format.ts'
import { formats } from '@sluice/protocols/formats.ts'
import { serveThread } from '@sluice/store/threads/serve-thread.ts'
import type { GatheredCall, MaskMethods, SpanContent } from './content-thread.ts'
import { type GatheredBody, maskBody, type Masking } from './masked-content.ts'

serveThread<MaskMethods>(() => ({
  methods: {
    mask(calls) {
      const documents = calls.map(documentOf)
      return {
        documents: documents.map((document) => JSON.stringify(document)),
        spans: calls.flatMap((call, at) => spansOf(call, documents[at])),
      }
    },
  },
}))

type Document = ReturnType<typeof documentOf>

function spansOf(call: GatheredCall, document: Document | undefined): readonly SpanContent[] {
  const messages = formatOf(call)?.messages
  if (!call.isTraced || !document || messages === undefined || messages === 'none') return []
  const { callId, request, answer } = document
  const { bytes, isStream } = call.answer
  const endReason = isStream ? lastReasonIn(bytes, messages.endField) : undefined
  return [{ callId, ...spanContent(messages, { request, answer, isStream, endReason }) }]
}

function formatOf({ facts }: GatheredCall): ClientFormat | undefined {
  return formats.find(({ id }) => id === facts.format)
}

/** The last end reason in a stream. */
function lastReasonIn(bytes: Uint8Array, field: string): string | undefined {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const pattern = new RegExp(`"${field}"\\s*:\\s*"([\\w-]{1,40})"`, 'g')
  let last: string | undefined
  for (const [, reason] of raw.matchAll(pattern)) last = reason
  return last
}

function documentOf(call: GatheredCall) {
  const { facts, request, answer, charactersMax } = call
  const textsOf = formatOf(call)?.textsOf ?? 'none'
  const asked = bodyOf(request, { charactersMax, textsOf })
  const answered = bodyOf(answer, { charactersMax, textsOf })
  return {
    ...facts,
    request: asked.text,
    answer: answered.text,
    requestCut: asked.isCut,
    answerCut: answered.isCut,
    masked: asked.masked + answered.masked,
  }
}

function bodyOf(body: GatheredBody, masking: Masking) {
  return body.bytes.length === 0
    ? { text: '', isCut: body.isCut, masked: 0 }
    : maskBody(body, masking)
}

// Spans have prompts and responses as OpenTelemetry's span attributes gen_ai.input.messages, gen_ai.output.messages and
// gen_ai.system_instructions (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/, "Recording content on
// attributes").

interface MaskedTexts {
  readonly request: string
  readonly answer: string
  readonly isStream: boolean
  /** The end reason given by a stream. */
  readonly endReason: string | undefined
}

/** The attributes of a call's span, each as JSON text. */
function spanContent(messages: FormatMessages, texts: MaskedTexts): Omit<SpanContent, 'callId'> {
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
