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
