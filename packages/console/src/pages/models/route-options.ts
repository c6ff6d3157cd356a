import { routeTexts } from '../../texts/routes.ts'

type OptionName = keyof typeof routeTexts.options
type GroupName = keyof typeof routeTexts.groups

/** An option of a route, and how it is chosen. */
export interface RouteOption {
  readonly name: OptionName
  readonly kind: 'number' | 'flag' | 'choice'
  readonly choices?: readonly (keyof typeof routeTexts.values)[]
  readonly min?: number
  readonly max?: number
  readonly isDecimal?: true
  /** Only where this one is on. */
  readonly needs?: OptionName
}

const longestMs = 86_400_000
const milliseconds = (name: OptionName): RouteOption => ({
  name,
  kind: 'number',
  min: 1,
  max: longestMs,
})

/** What the form of a route offers: all options of a route that sluice.schema.json has. */
export const optionGroups: readonly (readonly [GroupName, readonly RouteOption[]])[] = [
  [
    'choice',
    [
      { name: 'strategy', kind: 'choice', choices: ['weighted', 'latency'] },
      { name: 'sticky', kind: 'flag' },
      { name: 'unsupported', kind: 'choice', choices: ['hints', 'refuse', 'report'] },
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
  [
    'timeouts',
    [
      milliseconds('timeouts.connectMs'),
      milliseconds('timeouts.headersMs'),
      milliseconds('timeouts.firstTokenMs'),
      milliseconds('timeouts.idleMs'),
      milliseconds('timeouts.totalMs'),
    ],
  ],
]
