// The code of the thread that content-thread.ts starts.
import { type MessagePort, parentPort } from 'node:worker_threads'
import type { GatheredCall, MaskedBatch } from './content-thread.ts'
import { type GatheredBody, maskBody } from './masked-content.ts'

if (parentPort) serve(parentPort)

function serve(port: MessagePort): void {
  port.on('message', (calls: readonly GatheredCall[]) => {
    const answer: MaskedBatch = { documents: JSON.stringify(calls.map(documentOf)) }
    port.postMessage(answer)
  })
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
