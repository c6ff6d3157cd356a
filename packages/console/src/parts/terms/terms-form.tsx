import { Button, Group, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { texts } from '../../texts/texts.ts'
import { ErrorMessage } from '../states.tsx'
import { TermsFields } from './terms-fields.tsx'
import type { TermsValues } from './values.ts'

interface TermsFormProps {
  readonly initial: TermsValues
  readonly action: string
  /** The change that the form makes. */
  readonly of: { readonly isPending: boolean; readonly error: Error | null }
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
  const { initial, action, of, onSubmit, onCancel, isOfUser = false, children } = props
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
        <TermsFields values={values} onChange={setValues} error={of.error} isOfUser={isOfUser} />
        <ErrorMessage of={of.error?.message} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {texts.cancel}
          </Button>
          <Button type="submit" loading={of.isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
