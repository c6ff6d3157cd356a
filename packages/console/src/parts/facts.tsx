import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './facts.module.css'

/** A list of names and values. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value], at) => (
        <div key={`${name} ${at}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A section of a page with its own title. */
export function Section({
  title,
  actions,
  children,
}: {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section className={classes.section}>
      <Group justify="space-between" gap="0.75rem" mb="0.75rem">
        <h2>{title}</h2>
        {actions}
      </Group>
      {children}
    </section>
  )
}
