import { Alert, Text } from '@mantine/core'
import type { Reply } from '../../api/client.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Section } from '../../parts/facts.tsx'
import { type DiffLine, diffLines } from '../../parts/line-diff.ts'
import { routeTexts } from '../../texts/routes.ts'
import { Explained, type Explanation } from './explained.tsx'
import classes from './routes.module.css'

type Plan = Reply<'planRoutes'>

/** What a plan would change, line by line, and how the sample request would go before and after. */
export function PlanView({
  of: { changes, problems, isWritable, yaml, before, after },
}: {
  readonly of: Plan
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
      {problems.length > 0 && <Problems of={problems} />}
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
        <details className={classes.options} open={!isWritable}>
          <summary>{routeTexts.yaml}</summary>
          {!isWritable && <Text size="sm">{routeTexts.readOnly}</Text>}
          <pre className={classes.pre} tabIndex={0}>
            {yaml}
          </pre>
          <CopyButton text={yaml} label={routeTexts.yaml} />
        </details>
      )}
    </Section>
  )
}

/** Names that nobody can call. */
export function Problems({ of }: { readonly of: Plan['problems'] }) {
  return (
    <Alert color="orange" title={routeTexts.problems} mt="md">
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
