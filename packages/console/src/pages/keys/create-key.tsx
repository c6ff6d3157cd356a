import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { TermsForm } from '../../parts/terms/terms-form.tsx'
import { termsOf, type TermsValues, valuesOf } from '../../parts/terms/values.ts'
import { mayChange, useRole } from '../../session.ts'
import { keyTexts } from '../../texts/keys.ts'
import { IdField } from '../accounts/id-field.tsx'
import { SecretOnce } from './secret-once.tsx'

type KeyRole = keyof typeof keyTexts.roles

interface CreateKeyProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** The owner of the new key, if the form does not ask for it. */
  readonly ownerId?: string
}

/** Creates a key, and shows its secret once. */
export function CreateKey({ isOpen, onClose, ownerId: fixed }: CreateKeyProps) {
  const [ownerId, setOwnerId] = useState('')
  const [role, setRole] = useState<KeyRole>('caller')
  const create = useChange('createKey', ['listKeys', 'listBudgets'])
  const isOwner = mayChange('administrators', useRole())
  const secret = create.data?.secret
  function close(): void {
    create.reset()
    setOwnerId('')
    setRole('caller')
    onClose()
  }
  function submit(values: TermsValues): void {
    const owner = fixed ?? ownerId
    const body = {
      ...termsOf(values),
      ...(owner !== '' && { ownerId: owner }),
      ...(role !== 'caller' && { role: 'administrator' as const, adminRole: role }),
    }
    create.mutate({ body })
  }
  return (
    <Dialog
      title={secret === undefined ? keyTexts.create : keyTexts.secretTitle}
      isOpen={isOpen}
      onClose={close}
      size="lg"
    >
      {secret === undefined ? (
        <TermsForm
          initial={valuesOf()}
          action={keyTexts.create}
          isPending={create.isPending}
          error={create.error}
          onSubmit={submit}
          onCancel={close}
        >
          {fixed === undefined && (
            <IdField
              label={keyTexts.owner}
              nobody={keyTexts.nobody}
              lists={['listTeams', 'listUsers']}
              value={ownerId}
              onChange={setOwnerId}
            />
          )}
          {isOwner && <RoleSelect value={role} onChange={setRole} />}
        </TermsForm>
      ) : (
        <SecretOnce secret={secret} onDone={close} />
      )}
    </Dialog>
  )
}

function RoleSelect({
  value,
  onChange,
}: {
  readonly value: KeyRole
  readonly onChange: (role: KeyRole) => void
}) {
  return (
    <NativeSelect
      label={keyTexts.role}
      value={value}
      data={Object.entries(keyTexts.roles).map(([role, label]) => ({ value: role, label }))}
      // The options are the names of this table.
      onChange={(event) => onChange(event.currentTarget.value as KeyRole)}
    />
  )
}
