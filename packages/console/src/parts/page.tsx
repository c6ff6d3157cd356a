import { Anchor, Group, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { texts } from '../texts/texts.ts'

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
      <Group justify="space-between" gap="0.75rem" mb="1.25rem">
        <Title order={1} size="h2">
          {title}
        </Title>
        {actions !== undefined && <Group gap="0.5rem">{actions}</Group>}
      </Group>
      {children}
    </>
  )
}
