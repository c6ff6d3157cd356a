// The code of the thread that content-thread.ts starts.
import { type ClientFormat, formats } from '@sluice/protocols'
import { serveThread } from '@sluice/store/threads/serve-thread.ts'
import type { GatheredCall, MaskMethods, SpanContent } from './content-thread.ts'
import { type GatheredBody, maskBody, type Masking } from './masked-content.ts'
import { spanContent } from './span-messages.ts'

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
  const said = bodyOf(answer, { charactersMax, textsOf })
  return {
    ...facts,
    request: asked.text,
    answer: said.text,
    requestCut: asked.isCut,
    answerCut: said.isCut,
    masked: asked.masked + said.masked,
  }
}

function bodyOf(body: GatheredBody, masking: Masking) {
  return body.bytes.length === 0
    ? { text: '', isCut: body.isCut, masked: 0 }
    : maskBody(body, masking)
}
