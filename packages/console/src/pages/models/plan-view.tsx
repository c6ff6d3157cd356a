import { Alert, Text } from '@mantine/core'
import type { Reply } from '../../api/client.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Section } from '../../parts/facts.tsx'
import { type DiffLine, diffLines } from '../../parts/line-diff.ts'
import { routeTexts } from '../../texts/routes.ts'
import { Explained, type Explanation } from './explained.tsx'
import classes from './routes.module.css'

/** A plan for changing routes or other named settings. */
type Plan = Pick<Reply<'planRoutes'>, 'changes' | 'problems' | 'yaml'> &
  Partial<Pick<Reply<'planRoutes'>, 'before' | 'after' | 'unpriced' | 'unlisted'>>

/** The changes of a plan, line by line, and how the sample request would be routed before and after them. */
export function PlanView({
  of: { changes, problems, unpriced = [], unlisted = [], yaml, before, after },
  problemsTitle,
}: {
  readonly of: Plan
  /** The title of the list of problems; default: the text for names that lead nowhere. */
  readonly problemsTitle?: string
}) {
  return (
    <Section title={routeTexts.would}>
      {changes.length === 0 && <Text size="sm">{routeTexts.noChanges}</Text>}
      {changes.map((change) => (
        <div key={change.model} className={classes.change}>
          <h3>
            {routeTexts.changes[change.change]}: {change.model}
          </h3>
          <Diff lines={diffLines(shown(change.before), shown(change.after))} />
        </div>
      ))}
      {problems.length > 0 && <Problems of={problems} title={problemsTitle} />}
      {unlisted.length > 0 && <Problems of={unlisted} title={routeTexts.unlisted} />}
      {unpriced.length > 0 && <Problems of={unpriced} title={routeTexts.unpriced} />}
      {before && after && (
        <>
          <h3 className={classes.sample}>{routeTexts.explained}</h3>
          <div className={classes.sides}>
            {[[routeTexts.before, before] as const, [routeTexts.after, after] as const].map(
              ([title, explained]) => (
                <div key={title}>
                  <Text size="sm" c="dimmed" mb="xs">
                    {title}
                  </Text>
                  <Explained of={explained as Explanation} label={title} />
                </div>
              ),
            )}
          </div>
        </>
      )}
      {changes.length > 0 && (
        <details className={classes.options}>
          <summary>{routeTexts.yaml}</summary>
          <pre className={classes.pre} tabIndex={0}>
            {yaml}
          </pre>
          <CopyButton text={yaml} label={routeTexts.yaml} />
        </details>
      )}
    </Section>
  )
}

/** Names that cannot be called, or that have another problem. */
export function Problems({
  of,
  title = routeTexts.problems,
}: {
  readonly of: Plan['problems']
  readonly title?: string | undefined
}) {
  return (
    <Alert color="orange" title={title} mt="md">
      {of.map(({ model, problem }) => (
        <div key={model}>
          {model}: {problem}
        </div>
      ))}
    </Alert>
  )
}

function shown(value: unknown): string {
  return value === null ? '' : JSON.stringify(value, null, 2)
}

const signs = { same: ' ', added: '+', removed: '−' } as const

function Diff({ lines }: { readonly lines: readonly DiffLine[] }) {
  return (
    <pre className={classes.pre} tabIndex={0}>
      {lines.map(({ kind, text }, at) => (
        <span key={String(at)} className={classes.line} data-kind={kind}>
          {`${signs[kind]} ${text}\n`}
        </span>
      ))}
    </pre>
  )
}
