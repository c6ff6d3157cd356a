import { Anchor, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { texts } from '../texts/texts.ts'
import classes from './page.module.css'

interface PageProps {
  readonly title: string
  /** The list that the page belongs to. */
  readonly back?: { readonly to: string; readonly title: string }
  /** Buttons beside the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page with its title, which is also the title of the browser window. */
export function Page({ title, back, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} – ${texts.product}`
  }, [title])
  return (
    <>
      {back && (
        <Anchor href={`#${back.to}`} size="sm" underline="always">
          {back.title}
        </Anchor>
      )}
      <div className={classes.head}>
        <Title order={1} size="h2">
          {title}
        </Title>
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </div>
      {children}
    </>
  )
}
