import { Anchor, Button, Group, NativeSelect, Progress, Text, Textarea } from '@mantine/core'
import '@mantine/core/styles/Progress.css'
import { useState } from 'react'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Facts, Section } from '../../parts/facts.tsx'
import { formatCount, formatMicroUsd, formatMs } from '../../parts/formats.ts'
import { ErrorMessage } from '../../parts/states.tsx'
import { playgroundTexts } from '../../texts/playground.ts'
import { replyIn } from './bodies.ts'
import { codeOf, type CodeRequest } from './code.ts'
import type { Outcome } from './outcome.ts'
import { ToolResults } from './tool-results.tsx'
import classes from './playground.module.css'
import type { Next, Run, Turn } from './use-runs.ts'

interface AnsweredProps {
  readonly of: Run
  /** The parts of a request that are needed to show it as code, except its body. */
  readonly code: Omit<CodeRequest, 'body'>
  readonly onNext: (next: Next) => void
}

/** The responses of one model, turn by turn. */
export function Answered({ of: { model, turns }, code, onNext }: AnsweredProps) {
  const last = turns.length - 1
  return (
    <Section title={model}>
      {turns.map((turn, at) => (
        <TurnPart
          key={String(at)}
          of={turn}
          code={code}
          onNext={at === last ? onNext : undefined}
        />
      ))}
    </Section>
  )
}

interface TurnProps {
  readonly of: Turn
  readonly code: Omit<CodeRequest, 'body'>
  /** Absent if the chat has already continued. */
  readonly onNext: AnsweredProps['onNext'] | undefined
}

/** One response, its time and cost, and the request as it was sent. */
function TurnPart({ of: { body, outcome }, code, onNext }: TurnProps) {
  const { text, reasoning, toolCalls, progress, error, isRunning, events } = outcome
  const reply = replyIn(body)
  return (
    <div className={classes.turn}>
      {reply !== undefined && (
        <Text size="sm" c="dimmed" mb="sm" className={classes.said ?? ''}>
          {reply}
        </Text>
      )}
      {isRunning && text === '' && progress === undefined && (
        <Text size="sm">{playgroundTexts.waiting}</Text>
      )}
      <ErrorMessage of={error} mb="md" />
      {progress !== undefined && (
        <Progress value={progress} aria-label={playgroundTexts.progress} mb="sm" />
      )}
      {reasoning !== '' && <Raw title={playgroundTexts.reasoning} text={reasoning} />}
      {text !== '' && <div className={classes.text}>{text}</div>}
      <Media of={outcome.media} />
      {toolCalls.length > 0 && (
        <ToolResults calls={toolCalls} onAnswer={isRunning ? undefined : onNext} />
      )}
      <Facts
        facts={[
          [playgroundTexts.first, formatMs(outcome.firstMs)],
          [playgroundTexts.total, formatMs(outcome.totalMs)],
          [
            playgroundTexts.tokens,
            outcome.inputTokens === undefined && outcome.outputTokens === undefined
              ? formatCount(undefined)
              : `${formatCount(outcome.inputTokens)} → ${formatCount(outcome.outputTokens)}`,
          ],
          [playgroundTexts.cost, formatMicroUsd(outcome.costMicroUsd)],
        ]}
      />
      {onNext && code.operation === 'chat' && mayReply(outcome) && <Reply onSend={onNext} />}
      {outcome.requestId !== undefined && !isRunning && (
        <Anchor href={`#/requests/${outcome.requestId}`} size="sm">
          {playgroundTexts.toRequest}
        </Anchor>
      )}
      <div className={classes.raws}>
        <Raw title={playgroundTexts.request} text={JSON.stringify(body, null, 2)} />
        <Raw title={playgroundTexts.events} text={events.join('\n')} />
        <CodePart of={{ ...code, body }} />
      </div>
    </div>
  )
}

/** Whether a reply can be written; tool calls must be answered first. */
function mayReply({ isRunning, error, text, toolCalls }: Outcome): boolean {
  return !isRunning && error === undefined && text !== '' && toolCalls.length === 0
}

function Reply({ onSend }: { readonly onSend: (text: string) => void }) {
  const [text, setText] = useState('')
  return (
    <form
      className={classes.reply}
      onSubmit={(event) => {
        event.preventDefault()
        onSend(text)
      }}
    >
      <Textarea
        label={playgroundTexts.reply}
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
        autosize
        minRows={1}
        maxRows={8}
      />
      <Button type="submit" size="xs" disabled={text.trim() === ''}>
        {playgroundTexts.sendReply}
      </Button>
    </form>
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
      <Group justify="space-between" gap="0.5rem" pt="0.4rem">
        <NativeSelect
          aria-label={playgroundTexts.client}
          size="xs"
          value={shown.client}
          onChange={({ currentTarget: { value } }) => setClient(value)}
          data={codes.map((code) => code.client)}
        />
        <CopyButton text={shown.text} label={playgroundTexts.code} />
      </Group>
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
