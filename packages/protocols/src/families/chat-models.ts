import type { ChatRequest } from '@sluice/contract'
import type { Effort } from '../efforts.ts'

/** What the models of one family take of a chat request, whichever upstream of OpenAI's protocol serves them. */
export interface ChatFamily {
  /** Fields that they refuse. */
  readonly lacks: readonly (keyof ChatRequest)[]
  /** The efforts they know, the least first; empty where they do not reason. Absent: not known. */
  readonly efforts?: readonly Effort[]
  /** They take tools only without an effort (400 at `/chat/completions`, "use /v1/responses"). */
  readonly toolsWithoutEffort?: boolean
  /** They call free-form tools. */
  readonly takesCustomTools?: boolean
}

const sampling = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'] as const

/** OpenAI's reasoning models (reasoning guide; error answers that their users report). */
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

/** They answer at once. */
const plain: ChatFamily = { lacks: ['verbosity', 'web_search_options'], efforts: [] }

/** They search before every answer, and take little else. */
const searching: ChatFamily = {
  lacks: [...sampling, 'seed', 'verbosity', 'parallel_tool_calls', 'prediction'],
  efforts: [],
}

const openWeights: ChatFamily = { lacks: [], efforts: [] }

/** The first row that fits decides; names may have a vendor before them and a date behind. */
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
  // Those that reason by no effort (xAI's API reference, reasoning).
  [/grok-(4(?![.\d])|code)/, { lacks: [...sampling.slice(2), 'stop'], efforts: [] }],
  // Open weights that do not reason; hosts refuse an effort for them.
  [/(?=.*(r1|reason|think|nemotron))/, { lacks: [] }],
  [
    /llama|mixtral|gemma-?[1-3]|codestral|ministral|pixtral|qwen2|phi-[34](?!.*reason)|command-r/,
    openWeights,
  ],
]

export const unknownFamily: ChatFamily = { lacks: [] }

/** The family of a model by its name; one that is not known takes everything. */
export function chatFamily(model: string): ChatFamily {
  const name = model.toLowerCase()
  return families.find(([pattern]) => pattern.test(name))?.[1] ?? unknownFamily
}
