import type { ChatRequest } from '@sluice/contract'
import type { Effort } from '../efforts.ts'
import { remembered } from './remembered.ts'

/** What the models of one family accept in a chat request, no matter which upstream with OpenAI's protocol serves them. */
export interface ChatFamily {
  /** Fields that the models reject. */
  readonly lacks: readonly (keyof ChatRequest)[]
  /** The supported efforts in ascending order; empty if the models do not reason. Absent if unknown. */
  readonly efforts?: readonly Effort[]
  /** They accept tools only without an effort (400 at `/chat/completions`, "use /v1/responses"). */
  readonly toolsWithoutEffort?: boolean
  /** They reason if a request does not say how much. Default false: absent means `none` where they have that. */
  readonly effortByDefault?: boolean
  /** They call free-form tools. */
  readonly takesCustomTools?: boolean
  /** They are OpenAI's own, whose API rejects what is too long or too many (`openaiMaxima`). */
  readonly isOpenAIs?: boolean
}

/** The maxima of OpenAI's chat and text completions (API reference); more gets a 400. */
export const openaiMaxima = { stops: 4, callIdCharacters: 40 } as const

const sampling = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'] as const

/** OpenAI's reasoning models (reasoning guide; error responses reported by users). */
const reasoning: ChatFamily = {
  lacks: [
    ...sampling,
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'prediction',
    'web_search_options',
  ],
  efforts: ['low', 'medium', 'high'],
  isOpenAIs: true,
}

const oSeries: ChatFamily = {
  ...reasoning,
  lacks: [...reasoning.lacks, 'parallel_tool_calls', 'verbosity'],
}

const gpt5: ChatFamily = {
  ...reasoning,
  lacks: [...reasoning.lacks, 'stop'],
  efforts: ['minimal', 'low', 'medium', 'high'],
  takesCustomTools: true,
}

const latest: ChatFamily = {
  ...gpt5,
  lacks: reasoning.lacks,
  efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
  toolsWithoutEffort: true,
}

/** Models that do not reason. */
const plain: ChatFamily = {
  lacks: ['verbosity', 'web_search_options'],
  efforts: [],
  isOpenAIs: true,
}

/** Models that search before every response and accept few other parameters. */
const searching: ChatFamily = {
  lacks: [...sampling, 'seed', 'verbosity', 'parallel_tool_calls', 'prediction'],
  efforts: [],
  isOpenAIs: true,
}

const openWeights: ChatFamily = { lacks: [], efforts: [] }

/** The first matching row decides. Names may have a vendor in front and a date at the end. */
const families: readonly (readonly [RegExp, ChatFamily])[] = [
  [/gpt-oss/, { lacks: ['verbosity', 'web_search_options'], efforts: ['low', 'medium', 'high'] }],
  [/gpt-[\w.-]*search/, searching],
  [/gpt-5-chat/, plain],
  [/gpt-5[\d.]*-chat/, { ...gpt5, efforts: ['medium'] }],
  [/gpt-5-pro/, { ...gpt5, efforts: ['high'] }],
  [/gpt-5(-codex|\.1-codex(?!-max))/, { ...gpt5, efforts: ['low', 'medium', 'high'] }],
  [/gpt-5\.1/, { ...gpt5, efforts: ['none', 'low', 'medium', 'high'] }],
  [/gpt-5\.[2-4]-pro/, { ...gpt5, efforts: ['medium', 'high', 'xhigh'] }],
  [/gpt-5\.[23](?!\d)/, { ...latest, lacks: gpt5.lacks, toolsWithoutEffort: false }],
  [/gpt-5\.4/, { ...latest, lacks: gpt5.lacks }],
  [/gpt-(5\.([6-9]|\d\d)|[6-9]|\d\d)/, { ...latest, effortByDefault: true }],
  [/gpt-(5\.\d|[6-9]|\d\d)/, latest],
  [/gpt-5/, gpt5],
  [/(^|[/.])o1-(mini|preview)/, { ...oSeries, efforts: [] }],
  [/(^|[/.])o1|(^|[/.])o3-mini/, oSeries],
  [/(^|[/.])o\d/, { ...oSeries, lacks: [...oSeries.lacks, 'stop'] }],
  [/gpt-(3|4)|chatgpt-4/, plain],
  // Models that reason but accept no effort (xAI's API reference, reasoning).
  [/grok-(4(?![.\d])|code)/, { lacks: [...sampling.slice(2), 'stop'], efforts: [] }],
  // Mistral's models think or do not; those before 2026 know no effort (Mistral docs, reasoning; what its API answers).
  [/mistral-(small|medium)-(2[45]|3[.-][0-2])/, openWeights],
  [/mistral-(small|medium)|magistral-small/, { lacks: [], efforts: ['none', 'high'] }],
  [/devstral|magistral-medium|mistral-large-(2|3)|mistral-(nemo|tiny|7b)/, openWeights],
  // Open-weight models that do not reason (the row above catches those that do). Hosts reject an effort for them.
  [/(?=.*(r1|reason|think|nemotron))/, { lacks: [] }],
  [
    /llama|mixtral|gemma-?[1-3]|codestral|ministral|pixtral|qwen2|phi-[34](?!.*reason)|command-r/,
    openWeights,
  ],
]

export const unknownFamily: ChatFamily = { lacks: [] }

/** The family of a model by its name. An unknown model counts as accepting everything. */
export const chatFamily = remembered((model): ChatFamily => {
  const name = model.toLowerCase()
  return families.find(([pattern]) => pattern.test(name))?.[1] ?? unknownFamily
})

const ofReasoning: ReadonlySet<string> = new Set([
  ...sampling,
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'parallel_tool_calls',
])

/** What a model rejects for an effort. Some models reason only if a request asks for it, and else accept more. */
export function lackedAt({ lacks, efforts }: ChatFamily, effort: unknown): ChatFamily['lacks'] {
  const mayAnswerAtOnce = efforts?.includes('none') === true
  const reasons = !(mayAnswerAtOnce && (effort ?? 'none') === 'none')
  return reasons ? lacks : lacks.filter((field) => !ofReasoning.has(field))
}

/**
 * Whether chat completions refuse a request of a model because it has tools and the model is to reason ("use /v1/responses"). What
 * has several choices stays there, without an effort.
 */
export function reasonsWithTools(
  family: string,
  request: Readonly<Record<string, unknown>>,
): boolean {
  const { tools, n } = request
  if (!Array.isArray(tools) || tools.length === 0) return false
  if (typeof n === 'number' && n > 1) return false
  const { toolsWithoutEffort, effortByDefault } = chatFamily(family)
  if (toolsWithoutEffort !== true) return false
  const { reasoning_effort: effort, thinking_budget: budget } = request
  if (effort != null) return effort !== 'none'
  return budget == null ? effortByDefault === true : budget !== 0
}

/**
 * The greatest limit of the output that OpenAI's models accept (OpenAI, models: max output tokens). Models that are not listed
 * here may accept more, and those with one window for prompt and response have no limit of their own.
 */
const outputs: readonly (readonly [RegExp, number | undefined])[] = [
  [
    /audio|realtime|transcribe|tts|gpt-5-search|gpt-4-32k|gpt-3\.5-turbo-(instruct|0613|16k)/,
    undefined,
  ],
  [/(^|[/:])gpt-4\.1/, 32_768],
  [/(^|[/:])gpt-4o-2024-05-13/, 4096],
  [/(^|[/:])(gpt-4o|chatgpt-4o|gpt-4\.5|gpt-5(\.[1-4])?-chat)/, 16_384],
  [/(^|[/:])gpt-(4-(turbo|1106|0125)|3\.5-turbo)/, 4096],
  [/(^|[/:])gpt-5-pro/, 272_000],
  [/(^|[/:])gpt-5(\.[1-4])?(?![.\d])/, 128_000],
  [/(^|[/:])o1-mini/, 65_536],
  [/(^|[/:])o1-preview/, 32_768],
  [/(^|[/:])(o1|o3|o4-mini)(?![\d])/, 100_000],
]

/** Undefined if it is unknown. */
export const chatOutputMax = remembered((model): number | undefined => {
  const name = model.toLowerCase()
  return outputs.find(([pattern]) => pattern.test(name))?.[1]
})
