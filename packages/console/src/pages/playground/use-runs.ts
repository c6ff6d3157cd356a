import { useState } from 'react'
import { useRole } from '../../session.ts'
import { withReply, withResults } from './bodies.ts'
import type { Fields } from '../../parts/fields.ts'
import type { OperationName } from './operations.ts'
import { nothingYet, type Outcome, type ToolCall } from './outcome.ts'
import { run } from './run.ts'

/** A request and its result. A chat with tool calls or replies has several turns. */
export interface Turn {
  readonly body: Fields
  readonly outcome: Outcome
}

/** The turns of one model. */
export interface Run {
  readonly model: string
  readonly turns: readonly Turn[]
}

export interface PlaygroundRequest {
  readonly name: OperationName
  readonly models: readonly string[]
  readonly body: Fields
  readonly file: File | null
  readonly mask: File | null
}

/** Runs requests side by side, and keeps their results. */
export function useRuns() {
  const [runs, setRuns] = useState<readonly Run[]>([])
  const [asked, setAsked] = useState<PlaygroundRequest>()
  const [stopping, setStopping] = useState<AbortController>()
  const mayLook = useRole() !== 'caller'

  /** Sends the body as the last turn of a run. */
  async function ask(
    of: PlaygroundRequest,
    place: number,
    body: Fields,
    signal: AbortSignal,
  ): Promise<void> {
    const tell = (news: Partial<Outcome>) =>
      setRuns((all) =>
        all.map((one, at) => (at === place ? { ...one, turns: withNews(one.turns, news) } : one)),
      )
    const files = { file: of.file ?? undefined, mask: of.mask ?? undefined }
    await run({ name: of.name, ...files, body, signal, mayLook }, tell)
  }

  async function send(sent: PlaygroundRequest): Promise<void> {
    const { signal } = begin(sent)
    const requests = sent.models.map((model) => ({ model, body: { model, ...sent.body } }))
    setRuns(requests.map(({ model, body }) => ({ model, turns: [{ body, outcome: nothingYet }] })))
    await Promise.all(requests.map(({ body }, place) => ask(sent, place, body, signal)))
  }

  /** Continues the chat with tool results or with another message. */
  async function goOn(place: number, next: Next): Promise<void> {
    const last = runs[place]?.turns.at(-1)
    if (!last || !asked) return
    const { text } = last.outcome
    const body =
      typeof next === 'string'
        ? withReply(last.body, text, next)
        : withResults(last.body, text, next)
    setRuns((all) =>
      all.map((one, at) =>
        at === place ? { ...one, turns: [...one.turns, { body, outcome: nothingYet }] } : one,
      ),
    )
    await ask(asked, place, body, begin(asked).signal)
  }

  function begin(sent: PlaygroundRequest): AbortController {
    const controller = new AbortController()
    setStopping(controller)
    setAsked(sent)
    return controller
  }

  return {
    runs,
    file: asked?.file ?? null,
    mask: asked?.mask ?? null,
    send,
    goOn,
    stop: () => stopping?.abort(),
    clear: () => setRuns([]),
  }
}

/** The continuation of a chat: the results of its tool calls, or another message. */
export type Next = readonly ToolResult[] | string

export type ToolResult = readonly [call: ToolCall, result: string]

function withNews(turns: readonly Turn[], news: Partial<Outcome>): readonly Turn[] {
  const last = turns.at(-1)
  if (!last) return turns
  return [...turns.slice(0, -1), { ...last, outcome: { ...last.outcome, ...news } }]
}
