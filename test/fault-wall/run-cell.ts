import type { UsageRecord } from '../../packages/contract/src/core/usage.ts'
import type { ConfigFile } from '../../packages/sluice/src/config/schema.ts'
import { until } from '../support/start.ts'
import { describe, type Got, objectIn } from './describe.ts'
import type { Expected, Fault } from './fault.ts'
import type { Pair } from './pairs.ts'
import { post } from './post.ts'
import { providersOf, type Result, type Stage, settleMs, type Trial } from './trial.ts'
import { type FaultUpstream, goodSteps, type Target } from './upstream.ts'
import type { Words } from './words-form.ts'

/** An upstream's fault, a client format, a protocol, streamed or not. */
export interface Cell extends Pair {
  readonly fault: Fault
}

/** With another target behind it; and without one, where an error would lead to it. */
export function upstreamTrials(cell: Cell, id: string): readonly Trial[] {
  const name = `${cell.fault.name} | ${cell.caller.name}${cell.stream ? ', streamed' : ''} | ${cell.protocol.id}`
  const expected = cell.stream ? cell.fault.stream : cell.fault.whole
  const hidesError = expected !== undefined && fallsBack(expected)
  return [true, ...(hidesError ? [false] : [])].map((isBacked): Trial => {
    const ownId = `${id}${isBacked ? 'b' : 'a'}`
    return {
      cell,
      id: ownId,
      isBacked,
      name: isBacked ? `${name} | backed` : name,
      config: (upstream) => configOf(cell, { id: ownId, isBacked }, upstream),
      run: (stage) => run(cell, { id: ownId, isBacked }, stage),
    }
  })
}

interface Own {
  readonly id: string
  readonly isBacked: boolean
}

function configOf(
  { protocol, fault, stream }: Cell,
  { id, isBacked }: Own,
  upstream: FaultUpstream,
): ConfigFile {
  const places = {
    closed: upstream.closedUrl,
    mute: upstream.muteUrl,
    resetting: upstream.resettingUrl,
    ending: upstream.endingUrl,
  }
  return providersOf({
    protocol,
    id,
    badUrl: fault.place === undefined ? upstream.url : places[fault.place],
    goodUrl: upstream.url,
    limits: fault.limits?.[stream ? 'stream' : 'whole'],
    isBacked,
  })
}

/** What the table says of a cell. The words are those that the upstream was asked in. */
function expectedOf(
  { fault, stream, caller, protocol }: Cell,
  words: string | undefined,
): Expected {
  const kind = stream ? 'stream' : 'whole'
  const fits = (names: readonly string[] | undefined, name: string) =>
    names === undefined || names.includes(name)
  const exception = fault.except?.find(
    (each) =>
      each[kind] !== undefined &&
      fits(each.words, words ?? '') &&
      fits(each.pairs, `${caller.name} ${protocol.id}`),
  )
  const expected = exception?.[kind] ?? fault[kind]
  if (!expected) throw new Error(`${fault.name}: nothing is expected`)
  return expected
}

async function run(cell: Cell, { id, isBacked }: Own, stage: Stage): Promise<Result> {
  const { caller, stream, fault } = cell
  const asked: { words?: Words } = {}
  const bad: Target = {
    exchanges: [],
    steps(words) {
      asked.words ??= words
      return fault.steps?.(words) ?? []
    },
  }
  const good: Target = { exchanges: [], steps: goodSteps }
  const { targets } = stage.upstream
  targets.set(`bad-${id}`, bad)
  targets.set(`good-${id}`, good)
  const model = `m-${id}`
  const got = await post(
    stage.url + caller.path(model, stream),
    stage.key,
    caller.body(model, stream),
  )
  const expected = expectedOf(cell, asked.words?.id)
  const records = () => stage.recordsOf({ id })
  const outcomes = outcomesOf(expected, isBacked)
  const areGone = () =>
    [...bad.exchanges, ...good.exchanges].every(({ isWhole, isClosed }) => isWhole || isClosed)
  await until(() => records().length >= outcomes.length && areGone(), settleMs).catch(
    () => undefined,
  )
  const wrong = [
    ...wrongAnswer(cell, got, expected, isBacked),
    ...wrongRecords(records(), outcomes),
    ...wrongTargets({ bad, good, fault }, expected, isBacked),
    ...(areGone() ? [] : ['a socket to the upstream is still open']),
    ...wrongAttempts(got, records()),
  ]
  return { got: describe(caller, got, stream), wrong, records: records().length }
}

/** The records of a trial in order: the outcome, and `good` before it where the other target has it. */
function outcomesOf(expected: Expected, isBacked: boolean): readonly string[] {
  const rest = isBacked ? ['good completed'] : []
  switch (expected.outcome) {
    case 'answer':
      return ['completed']
    case 'error event':
      return ['incomplete']
    case 'stop':
      return ['failed']
    case 'next':
      return ['failed', ...rest]
    case 'retry':
      return ['failed', 'failed', ...rest]
    case 'limited':
      return isBacked ? ['failed', ...rest] : ['failed', 'failed']
  }
}

const fallsBack = ({ outcome }: Expected): boolean => ['next', 'retry', 'limited'].includes(outcome)

function wrongAnswer(
  { caller, stream }: Cell,
  got: Got,
  expected: Expected,
  isBacked: boolean,
): readonly string[] {
  const said = describe(caller, got, stream)
  if (expected.outcome === 'answer' || (isBacked && fallsBack(expected)))
    return said === 'the response' ? [] : [`${said} instead of the response`]
  if (expected.outcome === 'error event')
    return said === 'error event' ? [] : [`${said} instead of an error event`]
  const { status, code, retryAfter } = expected
  const wanted = `error ${status}`
  const found = caller.error(objectIn(got.text), got.status)
  const after = got.headers['retry-after']
  return [
    ...(said === wanted ? [] : [`${said} instead of ${wanted}`]),
    ...(code === null || found?.code === null || found?.code === code
      ? []
      : [`the code is ${found?.code}, not ${code}`]),
    ...((retryAfter ? retryAfter.test(after ?? '') : after === undefined)
      ? []
      : [`Retry-After is ${after}`]),
  ]
}

function wrongRecords(
  records: readonly UsageRecord[],
  outcomes: readonly string[],
): readonly string[] {
  const found = records.map(
    ({ provider, outcome }) => `${provider.startsWith('good-') ? 'good ' : ''}${outcome}`,
  )
  const numbers = records.map(({ attempt }) => attempt)
  const uncounted = records.filter(
    ({ outcome, provider, inputTokens, outputTokens }) =>
      outcome === 'completed' && provider.startsWith('good-') && inputTokens + outputTokens !== 10,
  )
  return [
    ...(found.join() === outcomes.join()
      ? []
      : [`the records are ${found.join()}, not ${outcomes.join()}`]),
    ...(numbers.every((number, index) => number === index + 1)
      ? []
      : [`the attempts are ${numbers.join()}`]),
    ...(uncounted.length === 0 ? [] : ['the usage of the good answer is not in its record']),
  ]
}

function wrongTargets(
  { bad, good, fault }: { bad: Target; good: Target; fault: Cell['fault'] },
  expected: Expected,
  isBacked: boolean,
): readonly string[] {
  const isTwice = expected.outcome === 'retry' || (expected.outcome === 'limited' && !isBacked)
  const tries = fault.place !== undefined ? 0 : isTwice ? 2 : 1
  const others = isBacked && fallsBack(expected) ? 1 : 0
  return [
    // A limit may be reached before a busy machine has sent the request.
    ...(bad.exchanges.length === tries || (fault.limits && bad.exchanges.length === 0)
      ? []
      : [`the target was asked ${bad.exchanges.length} times, not ${tries}`]),
    ...(good.exchanges.length === others
      ? []
      : [`another target was asked ${good.exchanges.length} times, not ${others}`]),
  ]
}

function wrongAttempts({ headers }: Got, records: readonly UsageRecord[]): readonly string[] {
  const said = headers['x-sluice-attempts']
  return said === undefined || said === String(records.length)
    ? []
    : [`x-sluice-attempts is ${said}, and there are ${records.length} records`]
}
