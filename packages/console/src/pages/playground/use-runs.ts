import { useState } from 'react'
import { useRole } from '../../session.ts'
import { withResults } from './bodies.ts'
import type { Fields } from './fields.ts'
import type { OperationName } from './operations.ts'
import { nothingYet, type Outcome, type ToolCall } from './outcome.ts'
import { run } from './run.ts'

/** A request and what came of it. A chat in which tools are called has several. */
export interface Turn {
  readonly body: Fields
  readonly outcome: Outcome
}

/** What one model was asked. */
export interface Run {
  readonly model: string
  readonly turns: readonly Turn[]
}

export interface Asked {
  readonly name: OperationName
  readonly models: readonly string[]
  readonly body: Fields
  readonly file: File | null
}

/** Requests side by side, and what comes of them. */
export function useRuns() {
  const [runs, setRuns] = useState<readonly Run[]>([])
  const [asked, setAsked] = useState<Asked>()
  const [stopping, setStopping] = useState<AbortController>()
  const mayLook = useRole() !== 'caller'

  /** Sends the body as the last turn of a run. */
  async function ask(of: Asked, place: number, body: Fields, signal: AbortSignal): Promise<void> {
    const tell = (news: Partial<Outcome>) =>
      setRuns((all) =>
        all.map((one, at) => (at === place ? { ...one, turns: withNews(one.turns, news) } : one)),
      )
    await run({ name: of.name, file: of.file ?? undefined, body, signal, mayLook }, tell)
  }

  async function send(sent: Asked): Promise<void> {
    const { signal } = begin(sent)
    const begun = sent.models.map((model) => ({ model, body: { model, ...sent.body } }))
    setRuns(begun.map(({ model, body }) => ({ model, turns: [{ body, outcome: nothingYet }] })))
    await Promise.all(begun.map(({ body }, place) => ask(sent, place, body, signal)))
  }

  /** Goes on with what the tools have answered. */
  async function answerTools(place: number, results: readonly ToolResult[]): Promise<void> {
    const last = runs[place]?.turns.at(-1)
    if (!last || !asked) return
    const body = withResults(last.body, last.outcome.text, results)
    setRuns((all) =>
      all.map((one, at) =>
        at === place ? { ...one, turns: [...one.turns, { body, outcome: nothingYet }] } : one,
      ),
    )
    await ask(asked, place, body, begin(asked).signal)
  }

  function begin(sent: Asked): AbortController {
    const controller = new AbortController()
    setStopping(controller)
    setAsked(sent)
    return controller
  }

  return {
    runs,
    file: asked?.file ?? null,
    send,
    answerTools,
    stop: () => stopping?.abort(),
    clear: () => setRuns([]),
  }
}

export type ToolResult = readonly [call: ToolCall, result: string]

function withNews(turns: readonly Turn[], news: Partial<Outcome>): readonly Turn[] {
  const last = turns.at(-1)
  if (!last) return turns
  return [...turns.slice(0, -1), { ...last, outcome: { ...last.outcome, ...news } }]
}
