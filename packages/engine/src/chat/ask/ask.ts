import { splitRequest } from './split-request.ts'

/** The input of the skills: the request of the last user turn, and everything around it. */
export interface Ask {
  /** The whole text of the last user turn. */
  readonly text: string
  readonly instruction: string
  readonly passage: string
  /** What the request says about the form of the response, apart from its instruction. */
  readonly manner: string
  /** System and developer texts. */
  readonly instructions: string
  /** The same, unless it is long: a long text, as agents have, is a manual and not an order. */
  readonly orders: string
  /** All texts from which facts may be taken, in the order of the conversation. */
  readonly sources: readonly Source[]
  readonly conversation: Conversation
  /** In milliseconds since the epoch. */
  readonly now: number
}

export interface Source {
  readonly origin: Origin
  readonly text: string
  /** Whether it belongs to the last user turn or came after it. */
  readonly current: boolean
}

/** What a skill found. */
export interface Answer {
  readonly skill: string
  /** Wordings of the answer, best first, all of them correct. Never empty. */
  readonly phrasings: readonly string[]
  /** The bare value, if the answer has one. */
  readonly value?: string
  /** Sentences that answer a question. */
  readonly evidence: readonly string[]
  /** Whether the caller dictated the exact words, so that nothing may be added or changed. */
  readonly verbatim?: boolean
}

/** Undefined if the skill does not apply. */
export type Skill = (ask: Ask) => Answer | undefined

/** An answer with its wordings, best first, and its bare value. */
export function answerOf(
  skill: string,
  phrasings: readonly string[],
  value?: string,
  evidence: readonly string[] = [],
): Answer {
  return { skill, phrasings, evidence, ...(value !== undefined && { value }) }
}

const ordersCharactersMax = 2000

export function createAsk(conversation: Conversation, now: number): Ask {
  const text = lastUserTurn(conversation)?.text ?? ''
  const split = splitRequest(text)
  const instructions = conversation.turns
    .filter((turn) => turn.role === 'system')
    .map((turn) => turn.text)
    .join('\n\n')
  const orders = instructions.length <= ordersCharactersMax ? instructions : ''
  const sources = sourcesOf(conversation, split.passage)
  return { ...split, text, instructions, orders, sources, conversation, now }
}

function sourcesOf(conversation: Conversation, passage: string): Source[] {
  const asked = lastUserTurn(conversation)
  return conversation.turns.flatMap((turn) => {
    const current = asked !== undefined && turn.index >= asked.index
    const own: Omit<Source, 'current'>[] = [
      ...turn.media.map(({ description }) => ({ origin: 'media' as const, text: description })),
      { origin: 'system', text: turn.context ?? '' },
      { origin: turn.role, text: turn === asked ? passage : turn.text },
    ]
    return own.filter(({ text }) => text !== '').map((source) => ({ ...source, current }))
  })
}

/** Where a text of a conversation came from. */
export type Origin = 'system' | 'user' | 'assistant' | 'tool' | 'media'

/** A call that the assistant made earlier. `input` is the JSON text of the arguments, or a custom tool's text. */
export interface PastCall {
  readonly id: string
  readonly name: string
  readonly input: string
}

/** One message in the engine's form: all its parts as text. */
export interface Turn {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  /** Index in the messages of the request. */
  readonly index: number
  /** What the sender says: the text parts, joined by blank lines. */
  readonly text: string
  /** Text that a program put around it. It is not a request or an instruction, but may contain facts. */
  readonly context?: string
  /** One description per image, audio, video or file: what was measured, or the text of a file. */
  readonly media: readonly Medium[]
  readonly calls: readonly PastCall[]
  /** Only in a tool turn: the call that it belongs to. */
  readonly answers?: PastCall
}

/** A part that is not text, after it was opened. */
export interface Medium {
  readonly kind: 'image' | 'audio' | 'video' | 'document'
  /** Sentences about what was measured, or the text of a document. */
  readonly description: string
  /** Default 0. */
  readonly imageTokens?: number
  /** Default 0. */
  readonly audioTokens?: number
}

export interface Conversation {
  readonly turns: readonly Turn[]
}

/** The last turn in which a user says or shows something; undefined if there is none. */
export function lastUserTurn({ turns }: Conversation): Turn | undefined {
  return turns.findLast(
    (turn) => turn.role === 'user' && (turn.text.trim() !== '' || turn.media.length > 0),
  )
}

/** Tool results that came after the last user turn. */
export function freshResults(conversation: Conversation): readonly Turn[] {
  const asked = lastUserTurn(conversation)?.index ?? -1
  return conversation.turns.filter((turn) => turn.role === 'tool' && turn.index > asked)
}

const backReference =
  /\b(?:above|previous|earlier|last (?:message|answer|reply|response)|that|it|this|these|those|the (?:text|document|file|article|passage|list|conversation|email|letter|report|note|transcript|results?))\b/i

/** The text that the request refers to ("that", "the text above"); undefined if it refers to nothing. */
export function pointedText(ask: Ask): string | undefined {
  return backReference.test(ask.instruction) ? earlierText(ask) : undefined
}

/** Texts of at most this length, such as "Done." or "Thank you!", are not texts to work on. */
const wordMax = 20

/** The most likely earlier text to work on: one that came with this turn, then the longest one before. */
export function earlierText({ sources, instruction }: Ask): string | undefined {
  const past = sources.filter(({ current, origin }) => !current && origin !== 'system')
  const attached = longest(sources.filter(({ current }) => current))
  const isLast = /\b(?:last|previous|that|it)\b/i.test(instruction)
  return (
    attached ??
    (isLast ? past.findLast(({ text }) => text.length > wordMax)?.text : undefined) ??
    longest(past) ??
    longest(sources)
  )
}

function longest(sources: Ask['sources']): string | undefined {
  return sources.toSorted((left, right) => right.text.length - left.text.length)[0]?.text
}
