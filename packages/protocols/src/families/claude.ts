import { remembered } from './remembered.ts'

/** What a Claude model accepts and rejects (Claude docs: models overview, thinking, migration guides per model). */
export interface ClaudeModel {
  /** The greatest `max_tokens` that it accepts. It is also sent if the caller sets no limit, since the field is mandatory. */
  readonly maxTokens: number
  /** Whether nothing is known about the model itself, so that it may accept more than this says. Default false. */
  readonly isAssumed?: true
  /** Accepts an effort (`output_config.effort`). */
  readonly effort: boolean
  /** How thinking is requested: with a budget in tokens, as `adaptive` with an effort, either of the two, or not at all. */
  readonly thinking: 'none' | 'budget' | 'either' | 'adaptive'
  /** The word that switches thinking off; undefined if it cannot be switched off. */
  readonly off: 'disabled' | 'between_tools' | undefined
  /** `one`: temperature or top_p, not both. `none`: only the defaults. */
  readonly sampling: 'any' | 'one' | 'none'
  /** Supports `output_config.format` and `strict` tools. */
  readonly structured: boolean
  /** Accepts a `tool_choice` that forces a call. */
  readonly forcedTools: boolean
  /** Continues a last message of the assistant; newer models respond with 400 to one. */
  readonly prefill: boolean
}

const current: ClaudeModel = {
  maxTokens: 128_000,
  effort: true,
  thinking: 'adaptive',
  off: 'disabled',
  sampling: 'none',
  structured: true,
  forcedTools: true,
  prefill: false,
}

const budgeted: ClaudeModel = {
  maxTokens: 64_000,
  effort: false,
  thinking: 'budget',
  off: 'disabled',
  sampling: 'any',
  structured: false,
  forcedTools: true,
  prefill: true,
}

/** The first matching row decides. Names may carry a vendor's prefix and a date. */
const families: readonly (readonly [RegExp, ClaudeModel])[] = [
  [/(fable|mythos)-5-\d(?!\d)/, { ...current, off: undefined, forcedTools: false }],
  [/opus-5-5/, { ...current, off: undefined, forcedTools: false }],
  [/sonnet-5-5/, { ...current, off: 'between_tools', forcedTools: false }],
  [/fable|mythos/, { ...current, off: undefined }],
  [/(opus|sonnet|haiku)-5|opus-4-[78]/, current],
  [/opus-4-6/, { ...current, thinking: 'either', sampling: 'one' }],
  [/sonnet-4-6/, { ...current, thinking: 'either', sampling: 'one' }],
  [/opus-4-5/, { ...budgeted, effort: true, sampling: 'one', structured: true }],
  [/(opus|sonnet|haiku)-4-5/, { ...budgeted, sampling: 'one', structured: true }],
  [/opus-4-1/, { ...budgeted, maxTokens: 32_000, sampling: 'one', structured: true }],
  [/opus-4|claude-4-opus/, { ...budgeted, maxTokens: 32_000 }],
  [/sonnet-4|claude-4-sonnet|3-7-sonnet/, budgeted],
  [/claude-3-5/, { ...budgeted, maxTokens: 8192, thinking: 'none' }],
  [/claude-(v?[123](?!\d)|instant)/, { ...budgeted, maxTokens: 4096, thinking: 'none' }],
  // A Claude model that is not in this table is newer than it.
  [/claude/, { ...current, isAssumed: true }],
]

/** Models of other makers behind this protocol; most of them imitate the Claude 4 generation. */
const foreign: ClaudeModel = { ...budgeted, maxTokens: 8192, isAssumed: true }

export function claudeModel(name: string): ClaudeModel {
  return knownClaude(name) ?? foreign
}

/** Undefined for a model of another maker. */
export const knownClaude = remembered((name): ClaudeModel | undefined => {
  const plain = name.toLowerCase().replaceAll('.', '-')
  return families.find(([pattern]) => pattern.test(plain))?.[1]
})

/** The greatest `max_tokens` that a Claude model accepts; undefined for models of other makers and for unknown ones. */
export function claudeOutputMax(name: string): number | undefined {
  const model = knownClaude(name)
  return model?.isAssumed === true ? undefined : model?.maxTokens
}
