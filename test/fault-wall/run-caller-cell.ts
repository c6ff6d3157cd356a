import type { ConfigFile } from '../../packages/sluice/src/config/schema.ts'
import { until } from '../support/start.ts'
import type { CallerFault, Sent } from './caller-faults.ts'
import { describe } from './describe.ts'
import type { Pair } from './pairs.ts'
import { misbehave, type RawAnswer } from './raw-caller.ts'
import { stall } from './steps.ts'
import { providersOf, type Result, type Stage, settleMs, type Trial } from './trial.ts'
import { type FaultUpstream, goodSteps, type Target } from './upstream.ts'

/** A caller's own fault, a client format, a protocol, streamed or not. */
export interface CallerCell extends Pair {
  readonly fault: CallerFault
}

/** The upstream may be so far ahead of a caller that reads nothing: what the buffers of all sockets hold, and more. */
const aheadBytesMax = 48 * 1024 * 1024

export function callerTrial(cell: CallerCell, id: string): Trial {
  return {
    cell,
    id,
    isBacked: true,
    name: `${cell.fault.name} | ${cell.caller.name}${cell.stream ? ', streamed' : ''} | ${cell.protocol.id}`,
    config: (upstream) => configOf(cell, id, upstream),
    run: (stage) => run(cell, id, stage),
  }
}

/** Two targets: nobody asks the other for a caller that is not there. */
function configOf({ protocol }: CallerCell, id: string, upstream: FaultUpstream): ConfigFile {
  return providersOf({ protocol, id, badUrl: upstream.url, goodUrl: upstream.url, isBacked: true })
}

async function run(
  { fault, caller, stream }: CallerCell,
  id: string,
  stage: Stage,
): Promise<Result> {
  const bad: Target = { exchanges: [], steps: fault.steps ?? goodSteps }
  const good: Target = { exchanges: [], steps: () => [stall] }
  stage.upstream.targets.set(`bad-${id}`, bad)
  stage.upstream.targets.set(`good-${id}`, good)
  const exchanges = () => [...bad.exchanges, ...good.exchanges]
  const said = () => exchanges().reduce((sum, { written }) => sum + written(), 0)
  const model = `m-${id}`
  const sent: Sent = {
    head: `POST ${caller.path(model, stream)} HTTP/1.1\r\nhost: sluice\r\nauthorization: Bearer ${stage.key}\r\ncontent-type: application/json\r\n`,
    body: JSON.stringify(caller.body(model, stream)),
  }
  const asked = () => new Set(exchanges().map(({ path }) => path.split('/')[1])).size
  const answers = await misbehave(stage.url, sent, fault, { asked, said })
  const usual = fault.gets === 'answer' ? ['completed'] : []
  const outcomes = fault.records ?? usual
  const records = () => stage.recordsOf({ id })
  const areGone = () => exchanges().every(({ isWhole, isClosed }) => isWhole || isClosed)
  await until(() => records().length >= outcomes.length && areGone(), settleMs).catch(
    () => undefined,
  )
  const found = unrepeated(records().map(({ outcome }) => outcome))
  const got = answers.map((answer) => describe(caller, asGot(answer), stream, fault.isPlain))
  const wanted = wantedOf(fault)
  return {
    got: got.join(' and ') || 'nothing',
    records: records().length,
    wrong: [
      ...(got.slice(0, wanted.length).join() === wanted.join() &&
      (wanted.length > 0 || got.length === 0)
        ? []
        : [`${got.join(' and ') || 'nothing'} instead of ${wanted.join(' and ') || 'nothing'}`]),
      ...(found.join() === unrepeated(outcomes).join()
        ? []
        : [`the records are ${found.join()}, not ${outcomes.join()}`]),
      ...(areGone() ? [] : ['a socket to the upstream is still open']),
      ...(outcomes.length === 0 && exchanges().length > 0 ? ['an upstream was asked'] : []),
      ...(said() > aheadBytesMax ? [`${said()} bytes were read for nobody`] : []),
    ],
  }
}

/** Two tries of one target are one failure here: how often it is tried is the other table's. */
const unrepeated = (outcomes: readonly string[]): readonly string[] =>
  outcomes.filter((outcome, index) => outcome !== 'failed' || outcomes[index - 1] !== 'failed')

function wantedOf({ gets }: CallerFault): readonly string[] {
  if (gets === 'nothing') return []
  if (gets === 'two answers') return ['the response', 'the response']
  return [gets === 'answer' ? 'the response' : `error ${gets}`]
}

const asGot = ({ status, headers, body }: RawAnswer) => ({
  status,
  headers,
  text: body,
  end: 'whole' as const,
})
