import { type Conversation, instructionsOf, lastUserTurn, type Origin } from './conversation.ts'
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
  const turn = lastUserTurn(conversation)
  const text = turn?.text ?? ''
  const split = splitRequest(text)
  const instructions = instructionsOf(conversation)
  return {
    text,
    instruction: split.instruction,
    passage: split.passage,
    manner: split.manner,
    instructions,
    orders: instructions.length <= ordersCharactersMax ? instructions : '',
    sources: sourcesOf(conversation, split.passage),
    conversation,
    now,
  }
}

function sourcesOf(conversation: Conversation, passage: string): Source[] {
  const asked = lastUserTurn(conversation)
  const sources: Source[] = []
  for (const turn of conversation.turns) {
    const current = asked !== undefined && turn.index >= asked.index
    for (const medium of turn.media)
      sources.push({ origin: 'media', text: medium.description, current })
    if (turn.context) sources.push({ origin: 'system', text: turn.context, current })
    const text = turn === asked ? passage : turn.text
    if (text !== '') sources.push({ origin: turn.role, text, current })
  }
  return sources
}
