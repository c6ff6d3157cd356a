import type { Pause } from '../pause.ts'
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
  /** Every text that facts may be drawn from, in the order of the conversation. */
  readonly sources: readonly Source[]
  readonly conversation: Conversation
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly pause: Pause
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
  readonly answer: (ask: Ask) => Answer | undefined | Promise<Answer | undefined>
}

export function createAsk(conversation: Conversation, now: number, pause: Pause): Ask {
  const turn = lastUserTurn(conversation)
  const text = turn?.text ?? ''
  const split = splitRequest(text)
  return {
    text,
    instruction: split.instruction,
    passage: split.passage,
    manner: split.manner,
    instructions: instructionsOf(conversation),
    sources: sourcesOf(conversation, split.passage),
    conversation,
    now,
    pause,
  }
}

function sourcesOf(conversation: Conversation, passage: string): Source[] {
  const asked = lastUserTurn(conversation)
  const sources: Source[] = []
  for (const turn of conversation.turns) {
    const current = asked !== undefined && turn.index >= asked.index
    for (const medium of turn.media)
      sources.push({ origin: 'media', text: medium.description, current })
    const text = turn === asked ? passage : turn.text
    if (text !== '') sources.push({ origin: turn.role, text, current })
  }
  return sources
}
