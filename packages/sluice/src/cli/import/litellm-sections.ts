import { isObject, listOf, objectOf } from '@sluice/contract'
import type { Path } from '../../config/references.ts'
import { attemptsOf, timeoutsOf } from './litellm-deployment.ts'
import { reasonFor } from './litellm-reasons.ts'
import type { SourceFields } from './source-fields.ts'
import { countOf, isReference, millisecondsOf, numberOf, textOf, written } from './yaml-values.ts'

/** Where calls of a model go if they fail, and where that is written. */
export interface Fallbacks {
  readonly from: string
  readonly to: readonly string[]
  readonly path: Path
}

/** What LiteLLM's sections beside `model_list` say. */
export interface Sections {
  readonly fallbacks: readonly Fallbacks[]
  readonly longer: readonly Fallbacks[]
  /** For models without others. */
  readonly defaultFallbacks: readonly Omit<Fallbacks, 'from'>[]
  readonly aliases: readonly {
    readonly alias: string
    readonly model: string
    readonly path: Path
  }[]
  /** How targets of a route are chosen. */
  readonly strategy: Readonly<Record<string, string>>
  readonly defaultModel: string | undefined
  readonly defaultModelPath: Path | undefined
  /** Further sections of sluice.yaml. */
  readonly settings: Readonly<Record<string, unknown>>
}

/** The sections in which LiteLLM reads settings of the router, in the order of precedence. */
const sectionNames = ['router_settings', 'litellm_settings', 'general_settings'] as const

const strategies: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'simple-shuffle': {},
  'least-busy': { choose: 'least-busy' },
  'usage-based-routing': { choose: 'least-used' },
  'usage-based-routing-v2': { choose: 'least-used' },
  'latency-based-routing': { strategy: 'latency' },
}

/** Reads them, and decides about each of their fields. */
export function readSections(
  fields: SourceFields,
  source: Readonly<Record<string, unknown>>,
): Sections {
  const reader = new SectionReader(fields, source)
  const fallbacks = reader.fallbacks('fallbacks')
  const longer = reader.fallbacks('context_window_fallbacks')
  const defaultFallbacks = reader.defaultFallbacks()
  const aliases = reader.aliases()
  const strategy = reader.strategy()
  const chosen =
    reader.take('default_model', modelNameOf, 'defaultModel') ??
    reader.take('completion_model', modelNameOf, 'defaultModel')
  const settings = {
    ...reader.defaults(),
    ...reader.unsupported(),
    ...reader.limits(),
    ...reader.redis(),
  }
  reader.leaveTheRest()
  return {
    // Its "*" is for every model without others.
    fallbacks: fallbacks.filter(({ from }) => from !== '*'),
    longer,
    defaultFallbacks: [...defaultFallbacks, ...fallbacks.filter(({ from }) => from === '*')],
    aliases,
    strategy,
    defaultModel: chosen?.value,
    defaultModelPath: chosen?.path,
    settings,
  }
}

const notUnderstood = 'its value is not understood'

function modelNameOf(value: unknown): string | undefined {
  const name = textOf(value)
  return name === undefined || /^os\.environ\/|\*/.test(name) ? undefined : name
}

interface Taken<Value> {
  readonly value: Value
  readonly path: Path
}

class SectionReader {
  readonly #fields: SourceFields
  readonly #source: Readonly<Record<string, unknown>>
  readonly #decided = new Set<string>()
  /** The names that were looked for. */
  readonly #asked = new Set<string>()

  constructor(fields: SourceFields, source: Readonly<Record<string, unknown>>) {
    this.#fields = fields
    this.#source = source
  }

  /** The value of a setting in the first section that has it. A value that is not understood is reported so. */
  take<Value>(
    name: string,
    read: (value: unknown) => Value | undefined,
    to: string,
  ): Taken<Value> | undefined {
    let found: Taken<Value> | undefined
    for (const [value, path] of this.#places(name)) {
      if (found) {
        this.#left(path, 'another section has it, too')
        continue
      }
      const known = read(value)
      if (known === undefined) continue
      found = { value: known, path }
      this.#decided.add(JSON.stringify(path))
      this.#fields.changed(path, to)
    }
    return found
  }

  /** `[{model: [others]}]`, or the same as one map. */
  fallbacks(name: string): readonly Fallbacks[] {
    return this.#places(name).flatMap(([value, path]) => {
      const maps = isObject(value) ? [value] : listOf(value)
      if (maps.some((map) => Object.keys(objectOf(map)).length > 0))
        this.#decided.add(JSON.stringify(path))
      return maps.flatMap((map, index) =>
        Object.entries(objectOf(map)).flatMap(([from, to]) => {
          const at: Path = isObject(value) ? [...path, from] : [...path, index, from]
          const names = listOf(to).filter((one): one is string => typeof one === 'string')
          if (names.length === listOf(to).length && names.length > 0)
            return [{ from, to: names, path: at }]
          this.#fields.left(
            at,
            'a fallback is the name of a model here, without parameters of its own',
          )
          return []
        }),
      )
    })
  }

  defaultFallbacks(): Sections['defaultFallbacks'] {
    const found = this.take(
      'default_fallbacks',
      (value) => listOf(value).map(String),
      'fallback of every route without others',
    )
    return found ? [{ to: found.value, path: found.path }] : []
  }

  /** `{alias: model}` or `{alias: {model, hidden}}`. */
  aliases(): Sections['aliases'] {
    return this.#places('model_group_alias').flatMap(([value, path]) => {
      if (Object.keys(objectOf(value)).length > 0) this.#decided.add(JSON.stringify(path))
      return Object.entries(objectOf(value)).flatMap(([alias, to]) => {
        const at = [...path, alias]
        const model = textOf(isObject(to) ? to['model'] : to)
        if (isObject(to) && 'hidden' in to)
          this.#fields.left([...at, 'hidden'], 'every name that may be asked for is listed')
        return model === undefined
          ? []
          : [{ alias, model, path: isObject(to) ? [...at, 'model'] : at }]
      })
    })
  }

  strategy(): Sections['strategy'] {
    const [place] = this.#places('routing_strategy')
    if (!place) return {}
    const [value, path] = place
    const found =
      typeof value === 'string' && Object.hasOwn(strategies, value) ? strategies[value] : undefined
    if (!found) {
      this.#left(path, `${String(value)} has no counterpart: calls are distributed by weight`)
      return {}
    }
    this.#decided.add(JSON.stringify(path))
    const [[name, to] = []] = Object.entries(found)
    if (name === undefined) this.#fields.taken(path, 'always so')
    else this.#fields.changed(path, `${name}: ${to} of every route with several targets`)
    return found
  }

  /** Options of all routes. */
  defaults() {
    const retries = this.take(
      'num_retries',
      numberOf,
      'defaults.retries.attempts, which counts the first one, too',
    )
    const whole =
      this.take('timeout', millisecondsOf, 'defaults.timeouts.headersMs and idleMs') ??
      this.take('request_timeout', millisecondsOf, 'defaults.timeouts.headersMs and idleMs')
    if (whole) this.take('request_timeout', () => undefined, '')
    const wait = this.take('retry_after', millisecondsOf, 'defaults.retries.baseMs')
    const stream = this.take('stream_timeout', millisecondsOf, 'defaults.timeouts.firstTokenMs')
    const allowed = this.take(
      'allowed_fails',
      numberOf,
      'defaults.breaker.failures, which counts the one that is too much',
    )
    const cooldown = this.take('cooldown_time', millisecondsOf, 'defaults.breaker.cooldownMs')
    const timeouts = timeoutsOf(whole?.value, stream?.value)
    const breaker = {
      ...(allowed && { failures: Math.max(1, Math.round(allowed.value) + 1), windowMs: 60_000 }),
      ...(cooldown && { cooldownMs: cooldown.value }),
    }
    const defaults = {
      ...((retries ?? wait) && {
        retries: {
          ...(retries && { attempts: attemptsOf(retries.value) }),
          ...(wait && { baseMs: wait.value }),
        },
      }),
      ...(Object.keys(timeouts).length > 0 && { timeouts }),
      ...(Object.keys(breaker).length > 0 && { breaker }),
    }
    return Object.keys(defaults).length > 0 ? { defaults } : {}
  }

  unsupported() {
    const drops = this.take(
      'drop_params',
      (value) => (value === true ? value : undefined),
      'unsupported: report',
    )
    return drops ? { unsupported: 'report' } : {}
  }

  limits() {
    const most = this.take('global_max_parallel_requests', countOf, 'limits.concurrentRequests')
    return most ? { limits: { concurrentRequests: most.value } } : {}
  }

  /** Redis, in which LiteLLM counts limits of several processes as well. */
  redis() {
    const url = this.take('redis_url', textOf, 'redis.url')
    if (url) return { redis: { url: written(url.value) } }
    const host = this.take('redis_host', textOf, 'redis.url')
    if (!host) {
      for (const name of ['redis_port', 'redis_password', 'redis_db'])
        for (const [, path] of this.#places(name))
          this.#left(path, 'without redis_host it leads nowhere')
      return {}
    }
    const port = this.take('redis_port', textOf, 'redis.url')
    const password = this.take('redis_password', textOf, 'redis.url')
    const number = this.take('redis_db', textOf, 'redis.url')
    const secret = password && written(password.value)
    const account =
      secret === undefined ? '' : `:${isReference(secret) ? secret : encodeURIComponent(secret)}@`
    const place = `${written(host.value)}:${written(port?.value ?? '6379')}`
    const path = number ? `/${written(number.value)}` : ''
    return { redis: { url: `redis://${account}${place}${path}` } }
  }

  /** What has not been read has a reason, or is reported as unknown. */
  leaveTheRest(): void {
    for (const section of sectionNames)
      for (const name of Object.keys(objectOf(this.#source[section]))) {
        const path: Path = [section, name]
        if (this.#decided.has(JSON.stringify(path))) continue
        const why = reasonFor(section, name) ?? (this.#asked.has(name) ? notUnderstood : undefined)
        if (why !== undefined) this.#fields.left(path, why)
      }
  }

  #places(name: string): readonly (readonly [value: unknown, path: Path])[] {
    this.#asked.add(name)
    return sectionNames.flatMap((section) => {
      const values = objectOf(this.#source[section])
      const value = values[name]
      return value === undefined || value === null ? [] : [[value, [section, name]] as const]
    })
  }

  #left(path: Path, why: string): void {
    this.#decided.add(JSON.stringify(path))
    this.#fields.left(path, why)
  }
}
