import { Alert, Button, Group, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { texts } from '../../texts/texts.ts'
import { TermsFields } from './terms-fields.tsx'
import type { TermsValues } from './values.ts'

interface TermsFormProps {
  readonly initial: TermsValues
  readonly action: string
  readonly isPending: boolean
  readonly error: Error | null
  /** `shown` holds the values with which the form was opened. */
  readonly onSubmit: (values: TermsValues, shown: TermsValues) => void
  readonly onCancel: () => void
  /** Show only the terms that users can set for their own keys. Default false. */
  readonly isOfUser?: boolean
  /** Additional fields, placed before the others. */
  readonly children?: ReactNode
}

/** A form that creates or changes something with a name and terms. */
export function TermsForm(props: TermsFormProps) {
  const {
    initial,
    action,
    isPending,
    error,
    onSubmit,
    onCancel,
    isOfUser = false,
    children,
  } = props
  const [shown] = useState(initial)
  const [values, setValues] = useState(shown)
  function submit(event: FormEvent): void {
    event.preventDefault()
    onSubmit(values, shown)
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        {children}
        <TermsFields values={values} onChange={setValues} error={error} isOfUser={isOfUser} />
        {error && (
          <Alert color="red" variant="outline" role="alert">
            {error.message}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {texts.cancel}
          </Button>
          <Button type="submit" loading={isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
