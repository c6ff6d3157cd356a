import { Alert, type AlertProps, Button, Group, Loader, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { overviewTexts } from '../texts/operation.ts'
import { texts } from '../texts/texts.ts'
import classes from './states.module.css'

/** Shown while a response is pending. */
export function Loading() {
  return (
    <output className={classes.centre} aria-label={texts.loading}>
      <Loader />
    </output>
  )
}

/** The error, and a button to try again. */
export function Failure({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  return (
    <Alert color="red" title={texts.failed} role="alert" variant="outline">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{error.message}</Text>
        {retry && (
          <Button variant="default" size="xs" onClick={retry}>
            {texts.retry}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

/** Why an action failed; nothing while it has not. */
export function ErrorMessage({
  of,
  ...place
}: { readonly of: string | undefined } & Pick<AlertProps, 'mt' | 'mb'>) {
  return (
    of !== undefined && (
      <Alert color="red" variant="outline" role="alert" {...place}>
        {of}
      </Alert>
    )
  )
}

/** Confirms that an action was done, also to screen readers; empty before. */
export function Done({ children }: { readonly children: ReactNode }) {
  return (
    <output>
      {children !== undefined && (
        <Text mt="md" fw={600}>
          ✓ {children}
        </Text>
      )}
    </output>
  )
}

/** Shown if there is no data yet: says what will appear here. */
export function Empty({
  title,
  children,
  actions,
}: {
  readonly title: string
  readonly children?: ReactNode
  /** Buttons for the next steps. */
  readonly actions?: ReactNode
}) {
  return (
    <div className={classes.empty}>
      <Text fw={600}>{title}</Text>
      {children !== undefined && <div className={classes.hint}>{children}</div>}
      {actions !== undefined && (
        <Group justify="center" gap="0.5rem" mt="1rem">
          {actions}
        </Group>
      )}
    </div>
  )
}

/** Shown where nothing was called yet: leads to what makes a call. */
export function NothingCalled({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}) {
  return (
    <Empty
      title={title}
      actions={
        <>
          <Button component="a" href="#/playground">
            {overviewTexts.toPlayground}
          </Button>
          <Button component="a" href="#/keys" variant="default">
            {overviewTexts.toKeys}
          </Button>
        </>
      }
    >
      {children}
    </Empty>
  )
}

interface Answered<Data> {
  readonly data: Data | undefined
  readonly error: Error | null
  readonly refetch: () => unknown
}

/** Shows a response, that it is pending, or why it failed. */
export function Answer<Data>({
  of: { data, error, refetch },
  children,
}: {
  readonly of: Answered<Data>
  readonly children: (data: Data) => ReactNode
}) {
  if (data !== undefined) return children(data)
  if (error) return <Failure error={error} retry={() => void refetch()} />
  return <Loading />
}
