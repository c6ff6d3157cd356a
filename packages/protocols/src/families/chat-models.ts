import type { ChatRequest } from '@sluice/contract'
import type { Effort } from '../efforts.ts'

/** What the models of one family accept in a chat request, no matter which upstream with OpenAI's protocol serves them. */
export interface ChatFamily {
  /** Fields that the models reject. */
  readonly lacks: readonly (keyof ChatRequest)[]
  /** The supported efforts in ascending order; empty if the models do not reason. Absent if unknown. */
  readonly efforts?: readonly Effort[]
  /** They accept tools only without an effort (400 at `/chat/completions`, "use /v1/responses"). */
  readonly toolsWithoutEffort?: boolean
  /** They call free-form tools. */
  readonly takesCustomTools?: boolean
}

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
const plain: ChatFamily = { lacks: ['verbosity', 'web_search_options'], efforts: [] }

/** Models that search before every response and accept few other parameters. */
const searching: ChatFamily = {
  lacks: [...sampling, 'seed', 'verbosity', 'parallel_tool_calls', 'prediction'],
  efforts: [],
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
  [/gpt-(5\.\d|[6-9]|\d\d)/, latest],
  [/gpt-5/, gpt5],
  [/(^|[/.])o1-(mini|preview)/, { ...oSeries, efforts: [] }],
  [/(^|[/.])o1|(^|[/.])o3-mini/, oSeries],
  [/(^|[/.])o\d/, { ...oSeries, lacks: [...oSeries.lacks, 'stop'] }],
  [/gpt-(3|4)|chatgpt-4/, plain],
  // Models that reason but accept no effort (xAI's API reference, reasoning).
  [/grok-(4(?![.\d])|code)/, { lacks: [...sampling.slice(2), 'stop'], efforts: [] }],
  // Open-weight models that do not reason (the row above catches those that do). Hosts reject an effort for them.
  [/(?=.*(r1|reason|think|nemotron))/, { lacks: [] }],
  [
    /llama|mixtral|gemma-?[1-3]|codestral|ministral|pixtral|qwen2|phi-[34](?!.*reason)|command-r/,
    openWeights,
  ],
]

export const unknownFamily: ChatFamily = { lacks: [] }

/** The family of a model by its name. An unknown model counts as accepting everything. */
export function chatFamily(model: string): ChatFamily {
  const name = model.toLowerCase()
  return families.find(([pattern]) => pattern.test(name))?.[1] ?? unknownFamily
}
