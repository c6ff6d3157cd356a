// The code of the thread that content-thread.ts starts.
import { serveThread } from '../threads/serve-thread.ts'
import type { GatheredCall, MaskMethods, SpanContent } from './content-thread.ts'
import { type GatheredBody, maskBody } from './masked-content.ts'
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
  if (!call.isTraced || !document) return []
  const { callId, format, request, answer } = document
  const { bytes, isStream } = call.answer
  const finishReason = isStream ? lastReasonIn(bytes) : undefined
  const content = spanContent({ format, request, answer, isStream, finishReason })
  return content ? [{ callId, ...content }] : []
}

/** The last end reason in a stream, whatever the format calls it. */
function lastReasonIn(bytes: Uint8Array): string | undefined {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const pattern = /"(?:finish_reason|stop_reason|finishReason)"\s*:\s*"([\w-]{1,40})"/g
  let last: string | undefined
  for (const [, said] of raw.matchAll(pattern)) last = said
  return last
}

function documentOf({ facts, request, answer, charactersMax }: GatheredCall) {
  const asked = bodyOf(request, charactersMax)
  const said = bodyOf(answer, charactersMax)
  return {
    ...facts,
    request: asked.text,
    answer: said.text,
    requestCut: asked.isCut,
    answerCut: said.isCut,
    masked: asked.masked + said.masked,
  }
}

function bodyOf(body: GatheredBody, charactersMax: number) {
  return body.bytes.length === 0
    ? { text: '', isCut: body.isCut, masked: 0 }
    : maskBody(body, charactersMax)
}
