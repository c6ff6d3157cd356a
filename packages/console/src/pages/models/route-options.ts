import { routeTexts } from '../../texts/routes.ts'

type OptionName = keyof typeof routeTexts.options
type GroupName = keyof typeof routeTexts.groups

/** An option of a route, and the kind of its input. */
export interface RouteOption {
  readonly name: OptionName
  readonly kind: 'number' | 'flag' | 'choice'
  readonly choices?: readonly (keyof typeof routeTexts.values)[]
  readonly min?: number
  readonly max?: number
  readonly isDecimal?: true
  /** The option is available only while this other option is on. */
  readonly needs?: OptionName
}

const longestMs = 86_400_000
const milliseconds = (name: OptionName): RouteOption => ({
  name,
  kind: 'number',
  min: 1,
  max: longestMs,
})

const unsupported: RouteOption = {
  name: 'unsupported',
  kind: 'choice',
  choices: ['hints', 'refuse', 'report'],
}

/** A group of related options. */
export type OptionGroup = readonly [GroupName, readonly RouteOption[]]

const timeouts: OptionGroup = [
  'timeouts',
  [
    milliseconds('timeouts.connectMs'),
    milliseconds('timeouts.headersMs'),
    milliseconds('timeouts.firstTokenMs'),
    milliseconds('timeouts.idleMs'),
    milliseconds('timeouts.totalMs'),
  ],
]

/** The options in the provider form: every provider setting that can be changed while the gateway runs, except its models. */
export const providerGroups: readonly OptionGroup[] = [
  [
    'use',
    [
      { name: 'enabled', kind: 'flag' },
      { name: 'maxConcurrent', kind: 'number', min: 1 },
      { name: 'queueLength', kind: 'number', min: 1 },
      { name: 'queueMs', kind: 'number', min: 0, max: longestMs },
      { name: 'whenFull', kind: 'choice', choices: ['wait', 'next'] },
      unsupported,
    ],
  ],
  timeouts,
]

/** The limits of one target in the route form. */
export const targetGroups: readonly OptionGroup[] = [
  [
    'limits',
    [
      { name: 'maxConcurrent', kind: 'number', min: 1 },
      { name: 'requestsPerMinute', kind: 'number', min: 1 },
      { name: 'tokensPerMinute', kind: 'number', min: 1 },
    ],
  ],
]

/** The options in the route form: every route option in sluice.schema.json, but the default parameters, which are edited as JSON. */
export const routeGroups: readonly OptionGroup[] = [
  [
    'choice',
    [
      { name: 'strategy', kind: 'choice', choices: ['weighted', 'latency'] },
      { name: 'choose', kind: 'choice', choices: ['weight', 'least-busy', 'least-used'] },
      { name: 'sticky', kind: 'flag' },
      unsupported,
    ],
  ],
  [
    'retries',
    [
      { name: 'retries.attempts', kind: 'number', min: 1, max: 10 },
      milliseconds('retries.baseMs'),
      milliseconds('retries.maxMs'),
    ],
  ],
  [
    'hedge',
    [
      { name: 'hedge.enabled', kind: 'flag' },
      { ...milliseconds('hedge.delayMs'), needs: 'hedge.enabled' },
      {
        name: 'hedge.percentile',
        kind: 'number',
        min: 1,
        max: 99.9,
        isDecimal: true,
        needs: 'hedge.enabled',
      },
    ],
  ],
  [
    'breaker',
    [
      { name: 'breaker.failures', kind: 'number', min: 1 },
      milliseconds('breaker.windowMs'),
      milliseconds('breaker.cooldownMs'),
    ],
  ],
  timeouts,
]
