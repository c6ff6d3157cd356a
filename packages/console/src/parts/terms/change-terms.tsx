import { Button } from '@mantine/core'
import { type ComponentProps, useState } from 'react'
import type { OperationId } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { keyTexts } from '../../texts/keys.ts'
import { texts } from '../../texts/texts.ts'
import { Dialog } from '../dialog.tsx'
import { TermsForm } from './terms-form.tsx'
import { accountValuesOf, changesOf, valuesOf } from './values.ts'

interface ChangeTermsProps {
  readonly of: NonNullable<Parameters<typeof accountValuesOf>[0]> & {
    readonly id: string
    readonly name: string
  }
  readonly operation: 'changeKey' | 'changeOrganization' | 'changeTeam' | 'changeUser'
  /** The operations to load again afterwards. */
  readonly changes: readonly OperationId[]
}

/** A button that opens a form for the name and terms of a key or an account. */
export function ChangeTerms({ of: holder, operation, changes }: ChangeTermsProps) {
  const [isOpen, setOpen] = useState(false)
  const change = useChange(operation, changes)
  const close = () => {
    setOpen(false)
    change.reset()
  }
  const submit: ComponentProps<typeof TermsForm>['onSubmit'] = (values, shown) =>
    change.mutate({ path: { id: holder.id }, body: changesOf(values, shown) }, { onSuccess: close })
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {keyTexts.change}
      </Button>
      <Dialog title={holder.name} isOpen={isOpen} onClose={close} size="lg">
        <TermsForm
          initial={operation === 'changeKey' ? valuesOf(holder) : accountValuesOf(holder)}
          action={texts.save}
          of={change}
          onCancel={close}
          onSubmit={submit}
        />
      </Dialog>
    </>
  )
}
