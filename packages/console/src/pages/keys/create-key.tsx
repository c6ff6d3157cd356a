import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { Choice } from '../../parts/choice.tsx'
import { TermsForm } from '../../parts/terms/terms-form.tsx'
import { termsOf, type TermsValues, valuesOf } from '../../parts/terms/values.ts'
import { mayChange, useRole } from '../../session.ts'
import { keyTexts } from '../../texts/keys.ts'
import { IdField } from '../accounts/id-field.tsx'
import { SecretDialog } from './secret-dialog.tsx'

type KeyRole = keyof typeof keyTexts.roles

/** Creates a key, and shows its secret once. */
export function CreateKey() {
  const [ownerId, setOwnerId] = useState('')
  const [role, setRole] = useState<KeyRole>('caller')
  const create = useChange('createKey', ['listKeys', 'listBudgets'])
  const isOwner = mayChange('administrators', useRole())
  function submit(values: TermsValues): void {
    const body = {
      ...termsOf(values),
      ...(ownerId !== '' && { ownerId }),
      ...(role !== 'caller' && { role: 'administrator' as const, adminRole: role }),
    }
    create.mutate({ body })
  }
  function reset(): void {
    create.reset()
    setOwnerId('')
    setRole('caller')
  }
  return (
    <NewKey of={create} onSubmit={submit} onClose={reset}>
      <IdField
        label={keyTexts.owner}
        nobody={keyTexts.nobody}
        lists={['listTeams', 'listUsers']}
        value={ownerId}
        onChange={setOwnerId}
      />
      {isOwner && (
        <Choice label={keyTexts.role} value={role} of={keyTexts.roles} onChange={setRole} />
      )}
    </NewKey>
  )
}

/** Creates a key of the user, and shows its secret once. The limits of the user and the team also apply to it. */
export function CreateOwnKey() {
  const create = useChange('createOwnKey', ['listOwnKeys', 'getOwnUsage'])
  return (
    <NewKey
      of={create}
      isOfUser
      onSubmit={(values) => create.mutate({ body: termsOf(values) })}
      onClose={create.reset}
    />
  )
}

interface NewKeyProps {
  readonly of: Pick<ReturnType<typeof useChange<'createKey'>>, 'data' | 'isPending' | 'error'>
  /** Show only the terms that users can set for their own keys. Default false. */
  readonly isOfUser?: boolean
  readonly onSubmit: (values: TermsValues) => void
  readonly onClose: () => void
  /** Fields for what is not among the terms. */
  readonly children?: ReactNode
}

/** The button and the dialog that create a key. */
function NewKey({ of, onSubmit, onClose, isOfUser = false, children }: NewKeyProps) {
  const [isOpen, setOpen] = useState(false)
  function close(): void {
    onClose()
    setOpen(false)
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>{keyTexts.create}</Button>
      <SecretDialog
        title={keyTexts.create}
        doneTitle={keyTexts.secretTitle}
        secret={of.data?.secret}
        isOpen={isOpen}
        onClose={close}
        size="lg"
      >
        <TermsForm
          initial={valuesOf()}
          action={keyTexts.create}
          of={of}
          isOfUser={isOfUser}
          onSubmit={onSubmit}
          onCancel={close}
        >
          {children}
        </TermsForm>
      </SecretDialog>
    </>
  )
}
