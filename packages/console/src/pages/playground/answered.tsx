import { Alert, NativeSelect, Progress, Text } from '@mantine/core'
import '@mantine/core/styles/Progress.css'
import { useState } from 'react'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Facts, Section } from '../../parts/facts.tsx'
import { formatCount, formatMicroUsd, formatMs } from '../../parts/formats.ts'
import { playgroundTexts } from '../../texts/playground.ts'
import { codeOf, type CodeRequest } from './code.ts'
import type { Outcome } from './outcome.ts'
import { ToolResults } from './tool-results.tsx'
import classes from './playground.module.css'
import type { Run, ToolResult, Turn } from './use-runs.ts'

interface AnsweredProps {
  readonly of: Run
  /** How a request is shown as a program, but for its body. */
  readonly code: Omit<CodeRequest, 'body'>
  readonly onAnswerTools: (results: readonly ToolResult[]) => void
}

/** What one model has answered, turn by turn. */
export function Answered({ of: { model, turns }, code, onAnswerTools }: AnsweredProps) {
  const last = turns.length - 1
  return (
    <Section title={model}>
      {turns.map((turn, at) => (
        <TurnPart
          key={String(at)}
          of={turn}
          code={code}
          onAnswerTools={at === last ? onAnswerTools : undefined}
        />
      ))}
    </Section>
  )
}

interface TurnProps {
  readonly of: Turn
  readonly code: Omit<CodeRequest, 'body'>
  readonly onAnswerTools: AnsweredProps['onAnswerTools'] | undefined
}

/** One answer, what it took, and the request as it was sent. */
function TurnPart({ of: { body, outcome }, code, onAnswerTools }: TurnProps) {
  const { text, reasoning, toolCalls, progress, error, isRunning, events } = outcome
  return (
    <div className={classes.turn}>
      {isRunning && text === '' && progress === undefined && (
        <Text size="sm">{playgroundTexts.waiting}</Text>
      )}
      {error !== undefined && (
        <Alert color="red" variant="outline" role="alert">
          {error}
        </Alert>
      )}
      {progress !== undefined && (
        <Progress value={progress} aria-label={playgroundTexts.progress} mb="sm" />
      )}
      {reasoning !== '' && <Raw title={playgroundTexts.reasoning} text={reasoning} />}
      {text !== '' && <div className={classes.text}>{text}</div>}
      <Media of={outcome.media} />
      {toolCalls.length > 0 && (
        <ToolResults calls={toolCalls} onAnswer={isRunning ? undefined : onAnswerTools} />
      )}
      <Facts
        facts={[
          [playgroundTexts.first, formatMs(outcome.firstMs)],
          [playgroundTexts.total, formatMs(outcome.totalMs)],
          [
            playgroundTexts.tokens,
            `${formatCount(outcome.inputTokens)} → ${formatCount(outcome.outputTokens)}`,
          ],
          [playgroundTexts.cost, formatMicroUsd(outcome.costMicroUsd)],
        ]}
      />
      <div className={classes.raws}>
        <Raw title={playgroundTexts.request} text={JSON.stringify(body, null, 2)} />
        <Raw title={playgroundTexts.events} text={events.join('\n')} />
        <CodePart of={{ ...code, body }} />
      </div>
    </div>
  )
}

function Media({ of }: Readonly<{ of: Outcome['media'] }>) {
  return of.map(({ kind, url }) => {
    if (kind === 'image') return <img key={url} src={url} alt={playgroundTexts.answer} />
    if (kind === 'audio')
      return (
        <audio key={url} src={url} controls>
          <track kind="captions" />
        </audio>
      )
    return (
      <video key={url} src={url} controls>
        <track kind="captions" />
      </video>
    )
  })
}

function CodePart({ of }: { readonly of: CodeRequest }) {
  const codes = codeOf(of)
  const [client, setClient] = useState('curl')
  const shown = codes.find((code) => code.client === client) ?? codes[0]
  if (!shown) return null
  return (
    <details className={classes.raw}>
      <summary>{playgroundTexts.code}</summary>
      <div className={classes.codeHead}>
        <NativeSelect
          aria-label={playgroundTexts.client}
          size="xs"
          value={shown.client}
          onChange={({ currentTarget: { value } }) => setClient(value)}
          data={codes.map((code) => code.client)}
        />
        <CopyButton text={shown.text} label={playgroundTexts.code} />
      </div>
      <pre tabIndex={0} data-testid="code">
        {shown.text}
      </pre>
    </details>
  )
}

function Raw({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <details className={classes.raw}>
      <summary>{title}</summary>
      <pre tabIndex={0}>{text}</pre>
    </details>
  )
}
