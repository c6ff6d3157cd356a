import { type Conversation, lastUserTurn, type Origin } from './conversation.ts'
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
  /** Sentences or steps that support the answer. */
  readonly evidence: readonly string[]
  /** Whether the caller dictated the exact words, so that nothing may be added or changed. */
  readonly verbatim?: boolean
}

export interface Skill {
  readonly name: string
  /** Undefined if the skill does not apply. */
  readonly answer: (ask: Ask) => Answer | undefined
}

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
