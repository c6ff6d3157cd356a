import { Button, Code, Textarea } from '@mantine/core'
import '@mantine/core/styles/Code.css'
import { type FormEvent, useState } from 'react'
import { playgroundTexts } from '../../texts/playground.ts'
import type { ToolCall } from './outcome.ts'
import classes from './playground.module.css'
import type { ToolResult } from './use-runs.ts'

/** The initial result of a tool call, because no tool is actually run. */
const usualResult = '{"ok": true}'

interface ToolResultsProps {
  readonly calls: readonly ToolCall[]
  /** Absent if the calls were already answered. */
  readonly onAnswer?: ((results: readonly ToolResult[]) => void) | undefined
}

/** The tool calls of a model, with a field for the result of each. */
export function ToolResults({ calls, onAnswer }: ToolResultsProps) {
  const [results, setResults] = useState<Readonly<Record<string, string>>>({})
  function submit(event: FormEvent): void {
    event.preventDefault()
    onAnswer?.(calls.map((call) => [call, results[call.id] ?? usualResult]))
  }
  return (
    <form onSubmit={submit} className={classes.tools}>
      {calls.map((call) => (
        <div key={call.id}>
          <Code block tabIndex={0}>
            {call.name}({call.arguments})
          </Code>
          {onAnswer && (
            <Textarea
              label={playgroundTexts.resultOf(call.name)}
              value={results[call.id] ?? usualResult}
              onChange={({ currentTarget: { value } }) =>
                setResults({ ...results, [call.id]: value })
              }
              autosize
              maxRows={8}
              mt="xs"
            />
          )}
        </div>
      ))}
      {onAnswer && (
        <Button type="submit" size="xs">
          {playgroundTexts.sendResults}
        </Button>
      )}
    </form>
  )
}
