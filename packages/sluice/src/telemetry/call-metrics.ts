import { type Usage, type UsageRecord, usdOf } from '@sluice/contract'
import type { CallEnd } from '@sluice/gateway/call/call.ts'
import type { BreakerState } from '@sluice/gateway/route/breaker.ts'
import type { AttemptEnd } from '@sluice/gateway/observe/observers.ts'
import { CallFamilies } from './call-families.ts'
import { type Counter, type CounterFamily, type FamilySnapshot, gauge } from './families.ts'
import { genAi, operationWord, type ProviderName } from './gen-ai.ts'

/** In addition to configured ones. */
const modelsMax = 200
const keysMax = 500

/** The label for all other names. */
const otherName = 'other'

/** Breaker states as numbers. */
const stateNumbers: Readonly<Record<BreakerState, number>> = { closed: 0, 'half-open': 1, open: 2 }

/**
 * Counts calls and attempts as they end, in series created for the first of their kind. OpenTelemetry's own instruments look up
 * a series by its attributes for each record, which takes ten times as long.
 */
export class CallMetrics {
  readonly #families = new CallFamilies()
  readonly #models = new LabelValues(modelsMax)
  readonly #keys = new LabelValues(keysMax)
  readonly #byKey: boolean
  readonly #providerName: ProviderName
  readonly #calls = new Map<string, CallSeries>()
  readonly #attempts = new Map<string, AttemptSeries>()
  readonly #errors = new Map<string, Counter>()
  readonly #refusals = new Map<string, Counter>()
  readonly #breakers = new Map<string, BreakerState>()

  /** `byKey`: requests, tokens and cost are also counted by key id. */
  constructor(byKey: boolean, providerName: ProviderName) {
    this.#byKey = byKey
    this.#providerName = providerName
  }

  /** Configured models, as `provider/model`. */
  configure(models: Iterable<string>): void {
    this.#models.configure(models)
  }

  ended(end: CallEnd): void {
    const { format, status, failure, durationMs, refusedBy, call } = end
    if (!format) return
    const series = this.#seriesOf(end, format)
    series.request(outcomeOf(end), status).add(1)
    series.duration.record(durationMs / 1000)
    if (failure !== undefined)
      counted(this.#errors, this.#families.errors, { code: failure }, failure)
    if (refusedBy !== undefined)
      counted(this.#refusals, this.#families.refusals, { limit: refusedBy }, refusedBy)
    if (call?.stream !== true) return
    const { firstContentMs, usage } = call.trail
    if (firstContentMs === undefined) return
    series.firstToken.record(firstContentMs / 1000)
    if (usage && usage.outputTokens > 1)
      series.perToken.record(
        Math.max(0, durationMs - firstContentMs) / 1000 / (usage.outputTokens - 1),
      )
  }

  attemptEnded({ call, begun, ended, cost, firstContentMs, error }: AttemptEnd): void {
    const { outcome, inputTokens, outputTokens, durationMs } = ended
    const series = this.#attemptSeriesOf(begun, firstContentMs !== undefined)
    series.ended(outcome, error?.code ?? '').add(1)
    if (cost === undefined) series.unknownCosts.add(1)
    else if (cost > 0n) series.cost.add(usdOf(cost))
    if (inputTokens > 0 || outputTokens > 0) countTokens(series, ended)
    series.operationDuration.record(durationMs / 1000)
    if (!call.stream || firstContentMs === undefined || outcome !== 'completed') return
    series.firstToken.record(firstContentMs / 1000)
    if (outputTokens > 1)
      series.perToken.record((durationMs - firstContentMs) / 1000 / (outputTokens - 1))
  }

  /** Called when a target's breaker changes its state. */
  breakerChanged(target: string, state: BreakerState): void {
    const name = this.#models.of(target, false)
    if (name !== otherName) this.#breakers.set(name, state)
  }

  snapshots(): readonly FamilySnapshot[] {
    return [
      ...this.#families.snapshots(),
      gauge(
        [
          'sluice_breaker_state',
          'Of targets whose breaker has ever opened for all: 0 closed, 1 half open, 2 open.',
        ],
        [...this.#breakers].map(([target, state]) => ({
          labels: { target },
          value: stateNumbers[state],
        })),
        'most',
      ),
    ]
  }

  #seriesOf({ call, key }: CallEnd, format: NonNullable<CallEnd['format']>): CallSeries {
    const { provider = '', model = '', outcome } = call?.trail ?? {}
    const shown = provider === '' ? '' : this.#modelOf(provider, model, outcome === 'completed')
    const keyId = this.#byKey && key ? this.#keys.of(key.id, true) : ''
    const name = `${format.id} ${provider} ${shown} ${keyId}`
    const known = this.#calls.get(name)
    if (known) return known
    const made = new CallSeries(this.#families, {
      operation: format.operation,
      format: format.id,
      provider,
      model: shown,
      ...(keyId !== '' && { key: keyId }),
    })
    this.#calls.set(name, made)
    return made
  }

  #attemptSeriesOf(
    { operation, provider, model, keyId }: AttemptEnd['begun'],
    hasAnswered: boolean,
  ): AttemptSeries {
    const shown = this.#modelOf(provider, model, hasAnswered)
    const key = this.#byKey ? this.#keys.of(keyId, true) : ''
    const name = `${operation} ${provider} ${shown} ${key}`
    const known = this.#attempts.get(name)
    if (known) return known
    const labels = { operation, provider, model: shown, ...(key !== '' && { key }) }
    const words = { operation: operationWord(operation), provider: this.#providerName(provider) }
    const made = new AttemptSeries(this.#families, labels, words)
    this.#attempts.set(name, made)
    return made
  }

  #modelOf(provider: string, model: string, hasAnswered: boolean): string {
    const name = this.#models.of(`${provider}/${model}`, hasAnswered)
    return name === otherName ? otherName : model
  }
}

/** The outcome of a request, in one word. */
export function outcomeOf({ disconnected, status, call, failure }: CallEnd): string {
  if (disconnected) return 'cancelled'
  if (call?.trail.failure) return 'incomplete'
  if (status < 400 && failure === undefined) return 'completed'
  return status >= 500 || (call?.trail.attempts ?? 0) > 0 ? 'failed' : 'refused'
}

function counted(
  known: Map<string, Counter>,
  family: CounterFamily,
  labels: Readonly<Record<string, string>>,
  name: string,
): void {
  let counter = known.get(name)
  if (!counter) {
    counter = family.with(labels)
    known.set(name, counter)
  }
  counter.add(1)
}

function countTokens(series: AttemptSeries, usage: Usage): void {
  const { inputTokens, outputTokens } = usage
  series.inputUsage.record(inputTokens)
  series.outputUsage.record(outputTokens)
  series.tokens('input').add(inputTokens)
  series.tokens('output').add(outputTokens)
  addTokens(series, 'cached_input', usage.cachedInputTokens)
  addTokens(series, 'cache_write', usage.cacheWriteTokens)
  addTokens(series, 'reasoning', usage.reasoningTokens)
  addTokens(series, 'audio_input', usage.audioInputTokens)
  addTokens(series, 'audio_output', usage.audioOutputTokens)
}

function addTokens(series: AttemptSeries, type: string, count: number | undefined): void {
  if (count !== undefined && count > 0) series.tokens(type).add(count)
}

/** Names used as labels. Callers can write any model name, so the number of labels is limited. */
class LabelValues {
  readonly #most: number
  readonly #learned = new Set<string>()
  #configured: ReadonlySet<string> = new Set()

  constructor(most: number) {
    this.#most = most
  }

  /** Names that are always labels. */
  configure(names: Iterable<string>): void {
    this.#configured = new Set(names)
  }

  /** The label of a name: itself if it is configured, or was proven to exist while there was room; otherwise `other`. */
  of(name: string, hasProven: boolean): string {
    if (this.#configured.has(name) || this.#learned.has(name)) return name
    if (!hasProven || this.#learned.size >= this.#most) return otherName
    this.#learned.add(name)
    return name
  }
}

/** The series of one kind of call, created for the first of them. */
interface CallLabels {
  readonly operation: string
  readonly format: string
  readonly provider: string
  readonly model: string
  /** The key id, if series are kept by key. */
  readonly key?: string
}

class CallSeries {
  readonly duration
  readonly firstToken
  readonly perToken
  readonly #families: CallFamilies
  readonly #labels: CallLabels
  readonly #requests = new Map<string, Counter>()

  constructor(families: CallFamilies, labels: CallLabels) {
    const { operation, provider, model } = labels
    const timed = { operation, provider, model }
    this.#families = families
    this.#labels = labels
    this.duration = families.duration.with(timed)
    this.firstToken = families.firstToken.with(timed)
    this.perToken = families.perToken.with(timed)
  }

  request(outcome: string, status: number): Counter {
    const name = `${outcome}${Math.floor(status / 100)}`
    const known = this.#requests.get(name)
    if (known) return known
    const made = this.#families.requests.with({
      ...this.#labels,
      outcome,
      status: `${Math.floor(status / 100)}xx`,
    })
    this.#requests.set(name, made)
    return made
  }
}

/** The same for attempts at one target. */
class AttemptSeries {
  readonly cost
  readonly unknownCosts
  readonly inputUsage
  readonly outputUsage
  readonly operationDuration
  readonly firstToken
  readonly perToken
  readonly #families: CallFamilies
  readonly #labels: Omit<CallLabels, 'format'>
  readonly #ended = new Map<string, Counter>()
  readonly #tokens = new Map<string, Counter>()

  constructor(
    families: CallFamilies,
    labels: Omit<CallLabels, 'format'>,
    words: { readonly operation: string; readonly provider: string },
  ) {
    const { provider, model } = labels
    const conventional = {
      [genAi.operation]: words.operation,
      [genAi.provider]: words.provider,
      [genAi.requestModel]: model,
    }
    this.#families = families
    this.#labels = labels
    this.cost = families.cost.with(labels)
    this.unknownCosts = families.unknownCosts.with({ provider, model })
    this.inputUsage = families.tokenUsage.with({ ...conventional, [genAi.tokenType]: 'input' })
    this.outputUsage = families.tokenUsage.with({ ...conventional, [genAi.tokenType]: 'output' })
    this.operationDuration = families.operationDuration.with(conventional)
    this.firstToken = families.serverFirstToken.with(conventional)
    this.perToken = families.serverPerToken.with(conventional)
  }

  ended(outcome: UsageRecord['outcome'], reason: string): Counter {
    const name = `${outcome} ${reason}`
    const known = this.#ended.get(name)
    if (known) return known
    const { operation, provider, model } = this.#labels
    const made = this.#families.attempts.with({ operation, provider, model, outcome, reason })
    this.#ended.set(name, made)
    return made
  }

  tokens(type: string): Counter {
    const known = this.#tokens.get(type)
    if (known) return known
    const made = this.#families.tokens.with({ ...this.#labels, type })
    this.#tokens.set(type, made)
    return made
  }
}
