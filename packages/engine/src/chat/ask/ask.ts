import { type Conversation, lastUserTurn, type Origin } from './conversation.ts'
import { splitRequest } from './split-request.ts'

/** What the skills see: the request of the last user turn, and everything that was said around it. */
export interface Ask {
  /** The whole text of the last user turn. */
  readonly text: string
  readonly instruction: string
  readonly passage: string
  /** What the request says of how to answer, apart from its instruction. */
  readonly manner: string
  /** System and developer texts. */
  readonly instructions: string
  /** The same as far as it gives orders: a long one, as agents have, is a manual. */
  readonly orders: string
  /** Every text that facts may be drawn from, in the order of the conversation. */
  readonly sources: readonly Source[]
  readonly conversation: Conversation
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface Source {
  readonly origin: Origin
  readonly text: string
  /** True for what belongs to the last user turn or came after it. */
  readonly current: boolean
}

/** What a skill found. */
export interface Answer {
  readonly skill: string
  /** Ways to say it, best first, all of them true; never empty. */
  readonly phrasings: readonly string[]
  /** The bare value, where the answer has one. */
  readonly value?: string
  /** Sentences or steps that the answer rests on. */
  readonly evidence: readonly string[]
  /** The caller dictated the very words: nothing may be added to or changed in them. */
  readonly verbatim?: boolean
}

export interface Skill {
  readonly name: string
  /** Undefined where the skill has nothing to say to this. */
  readonly answer: (ask: Ask) => Answer | undefined
}

/** An answer with ways to say it, best first, and its bare value. */
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
