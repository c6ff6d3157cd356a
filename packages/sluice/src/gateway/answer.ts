import { GatewayError } from '@sluice/contract'
import type { FormatContext } from '@sluice/protocols'
import { formatUsd } from '../prices/cost.ts'
import type { Attempted } from './attempt/attempt.ts'
import { createHeld } from './attempt/source.ts'
import type { Answer, Call, Trail } from './call.ts'
import type { AnyReply } from './canonical.ts'
import { formatLargeJson, isLargeJson } from './format-large.ts'
import type { Gateway } from './gateway.ts'
import { type Keep, keptPieces, passedPieces, watchedPieces, writtenSteps } from './pieces.ts'
import type { Run } from './run/run.ts'

/** What a client format may know. What an answer has that the format has no place for is noted, and never refused. */
export function formatContext(
  { now, newId }: Pick<Gateway, 'now' | 'newId'>,
  headers: Call['headers'],
  { dropped }: Pick<Trail, 'dropped'>,
): FormatContext {
  const note = (name: string): void => void dropped.add(name)
  return { now, newId, headers, unsupported: note, leftOut: note }
}

/**
 * An attempt's answer in the caller's format. `keep` is told of it as one document, before its last part goes to the
 * caller, where the format has such a document.
 */
export function answerOf(run: Run, attempted: Attempted, keep?: Keep): Answer | Promise<Answer> {
  try {
    const { answer } = attempted
    return answer.kind === 'reply' || answer.kind === 'native'
      ? wholeAnswer(run, attempted, keep)
      : streamedAnswer(run, attempted, keep)
  } catch (thrown) {
    // Nobody will read it to its end.
    attempted.abandon()
    throw thrown
  }
}

function wholeAnswer(run: Run, attempted: Attempted, keep?: Keep): Answer | Promise<Answer> {
  const { gateway, call } = run
  const { answer } = attempted
  call.trail.usage = attempted.usage()
  call.trail.outcome = 'completed'
  if (answer.kind === 'native') {
    const headers = { ...answerHeaders(gateway, call), ...costFields(call.trail) }
    const { bytes, contentType, json } = answer.received
    const made: Answer = { kind: 'bytes', headers, bytes, contentType }
    return keep ? keep(json()).then(() => made) : made
  }
  if (answer.kind !== 'reply') throw new GatewayError('internal', 'A stream is no whole answer')
  if (call.stream && call.format.told) return toldAnswer(run, attempted, answer.reply)
  const context = formatContext(gateway, call.headers, call.trail)
  const body = call.format.fromCanonical(answer.reply, call.written ?? call.request.value, context)
  // After the body, which may have named what it left out.
  const headers = { ...answerHeaders(gateway, call), ...costFields(call.trail) }
  if (isLargeJson(body)) return largeAnswer(headers, body, keep)
  const made: Answer = { kind: 'json', headers, body }
  return keep ? keep(body).then(() => made) : made
}

async function largeAnswer(
  headers: Answer['headers'],
  body: unknown,
  keep: Keep | undefined,
): Promise<Answer> {
  const bytes = await formatLargeJson(body)
  await keep?.(body)
  return { kind: 'bytes', headers, bytes, contentType: 'application/json; charset=utf-8' }
}

/** A stream of an answer that came whole. */
function toldAnswer({ gateway, call }: Run, attempted: Attempted, reply: AnyReply): Answer {
  const writer = writerOf(call)
  const steps = call.format.told?.(reply, attempted.usage()) ?? []
  const pieces = createHeld<string>({ pause() {}, resume() {}, cancel() {} })
  pieces.push(steps.map((step) => writer.write(step)).join('') + writer.end())
  pieces.end()
  const headers = answerHeaders(gateway, call)
  return { kind: 'stream', headers, contentType: writer.contentType, pieces }
}

function streamedAnswer(run: Run, attempted: Attempted, keep?: Keep): Answer {
  const { gateway, call } = run
  const { answer } = attempted
  const headers = answerHeaders(gateway, call)
  const settled = (error?: GatewayError) => settle(run, attempted, error)
  switch (answer.kind) {
    case 'media': {
      const { contentType, length } = answer
      const pieces = watchedPieces(answer.pieces, settled)
      return {
        kind: 'stream',
        headers,
        contentType,
        ...(length !== undefined && { length }),
        pieces,
      }
    }
    case 'steps': {
      const writer = writerOf(call)
      const pieces = writtenSteps(answer.steps, writer, settled)
      const { contentType } = writer
      return { kind: 'stream', headers, contentType, pieces: keptPieces(pieces, writer, keep) }
    }
    case 'passed': {
      const { contentType } = answer
      const pieces = passedPieces(answer, { call, writer: writerOf(call), settled })
      return { kind: 'stream', headers, contentType, pieces: keptPieces(pieces, answer, keep) }
    }
    default:
      throw new GatewayError('internal', 'A whole answer is no stream')
  }
}

function writerOf({ writer }: Call) {
  if (!writer) throw new GatewayError('internal', 'A stream came that nobody asked for')
  return writer
}

/** A stream is over: what became of it, for the end of the call and for the log. */
function settle({ call: { trail } }: Run, attempted: Attempted, error: GatewayError | undefined) {
  trail.usage = attempted.usage()
  trail.outcome = !error ? 'completed' : error.code === 'cancelled' ? 'cancelled' : 'incomplete'
  if (trail.outcome === 'incomplete') trail.failure = error
}

/** What happened, for the caller: who answered, under which name, after how many attempts, and what was left out. */
export function answerHeaders({ now }: Gateway, { trail }: Call): Readonly<Record<string, string>> {
  const total = `total;dur=${now() - trail.startedAt}`
  const headers: Record<string, string> = {
    'x-sluice-attempts': String(trail.attempts),
    'server-timing':
      trail.upstreamMs === undefined ? total : `upstream;dur=${trail.upstreamMs}, ${total}`,
  }
  if (trail.provider !== undefined) headers['x-sluice-provider'] = headerText(trail.provider)
  if (trail.model !== undefined) headers['x-sluice-model'] = headerText(trail.model)
  if (trail.dropped.size > 0)
    headers['x-sluice-dropped'] = headerText([...trail.dropped].join(', '))
  return headers
}

/** Names of the fields of `costFields`, for those who announce them. */
export const costFieldNames = 'x-sluice-cost, x-sluice-cost-unknown'

/** What all attempts of a call cost together, in dollars; said to be unknown where that of one is. */
export function costFields({
  costMicroUsd,
  unknownCosts,
}: Trail): Readonly<Record<string, string>> {
  return unknownCosts > 0
    ? { 'x-sluice-cost-unknown': 'true' }
    : { 'x-sluice-cost': formatUsd(costMicroUsd) }
}

/** Clients refuse an answer whose headers are larger than 16 KiB together (Node's and undici's limit). */
const headerTextMax = 2_000

const visible = /^[\x20-\x7e]*$/

/** Header values hold visible ASCII; anything else of a name is percent-encoded, and a very long one is cut. */
export function headerText(text: string): string {
  if (text.length <= headerTextMax && visible.test(text)) return text
  const encoded = text
    .slice(0, headerTextMax)
    .toWellFormed()
    .replace(/[^\x20-\x7e]/gu, (character) => encodeURIComponent(character))
  const isCut = text.length > headerTextMax || encoded.length > headerTextMax
  return isCut ? `${encoded.slice(0, headerTextMax)}...` : encoded
}

export function causeText({ details }: GatewayError): string | undefined {
  const { cause } = details
  if (cause === undefined) return undefined
  // The engine's own words of broken JSON quote the text, which is an answer or a prompt.
  if (cause instanceof SyntaxError) return cause.name
  if (cause instanceof Error) return cause.stack ?? cause.message
  return typeof cause === 'string' ? cause : JSON.stringify(cause)
}
