import { Button } from '@mantine/core'
import { useState } from 'react'
import type { OperationInput } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { TermsForm } from '../../parts/terms/terms-form.tsx'
import { accountValuesOf, termsOf, type TermsValues } from '../../parts/terms/values.ts'
import { accountTexts } from '../../texts/accounts.ts'
import { changedAccounts, type Kind, kinds } from './kinds.ts'
import { IdField } from './id-field.tsx'

/** The button and the dialog that create an organization, a team or a user. */
export function CreateAccount({ kind }: { readonly kind: Kind }) {
  const [isOpen, setOpen] = useState(false)
  const [parentId, setParentId] = useState('')
  const create = useChange(kinds[kind].create, changedAccounts)
  const { create: title } = accountTexts.kinds[kind]
  const { parents } = kinds[kind]
  function close(): void {
    create.reset()
    setParentId('')
    setOpen(false)
  }
  function submit(values: TermsValues): void {
    const body = { ...termsOf(values), ...(parentId !== '' && { parentId }) }
    create.mutate({ body } as OperationInput<'createTeam'>, { onSuccess: close })
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>{title}</Button>
      <Dialog title={title} isOpen={isOpen} onClose={close} size="lg">
        <TermsForm
          initial={accountValuesOf()}
          action={title}
          of={create}
          onSubmit={submit}
          onCancel={close}
        >
          {parents.length > 0 && (
            <IdField
              label={accountTexts.parent}
              nobody={accountTexts.noParent}
              lists={parents.map((parent) => kinds[parent].list)}
              value={parentId}
              onChange={setParentId}
            />
          )}
        </TermsForm>
      </Dialog>
    </>
  )
}
