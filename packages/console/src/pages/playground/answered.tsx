import { Alert, Progress, Text } from '@mantine/core'
import '@mantine/core/styles/Progress.css'
import { Facts, Section } from '../../parts/facts.tsx'
import { formatCount, formatMicroUsd, formatMs } from '../../parts/formats.ts'
import { playgroundTexts } from '../../texts/operation.ts'
import { codeOf } from './code.ts'
import type { Outcome } from './run.ts'
import classes from './playground.module.css'

interface AnsweredProps {
  readonly model: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly outcome: Outcome
}

/** What one model has answered, what it took, and the request as it was sent. */
export function Answered({ model, path, body, outcome }: AnsweredProps) {
  const { text, reasoning, media, progress, error, isRunning, events } = outcome
  return (
    <Section title={model}>
      {isRunning && text === '' && <Text size="sm">{playgroundTexts.waiting}</Text>}
      {error !== undefined && (
        <Alert color="red" role="alert">
          {error}
        </Alert>
      )}
      {progress !== undefined && (
        <Progress value={progress} aria-label={playgroundTexts.progress} mb="sm" />
      )}
      {reasoning !== '' && <Raw title={playgroundTexts.reasoning} text={reasoning} />}
      {text !== '' && <div className={classes.text}>{text}</div>}
      {media.map(({ kind, url }) => {
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
      })}
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
      <Raw title={playgroundTexts.request} text={JSON.stringify(body, null, 2)} />
      <Raw title={playgroundTexts.events} text={events.join('\n')} />
      <details className={classes.raw}>
        <summary>{playgroundTexts.code}</summary>
        {codeOf(path, body).map(([name, code]) => (
          <div key={name}>
            <Text size="sm" fw={600}>
              {name}
            </Text>
            <pre tabIndex={0}>{code}</pre>
          </div>
        ))}
      </details>
    </Section>
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
