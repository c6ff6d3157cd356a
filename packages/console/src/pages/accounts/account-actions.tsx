import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { TermsForm } from '../../parts/terms/terms-form.tsx'
import { changesOf, valuesOf } from '../../parts/terms/values.ts'
import { mayChange, useRole } from '../../session.ts'
import { accountTexts } from '../../texts/accounts.ts'
import { keyTexts } from '../../texts/keys.ts'
import { texts } from '../../texts/texts.ts'
import { changedAccounts, kinds } from './kinds.ts'

type Account = Reply<'getTeam'>
interface OfAccount {
  readonly of: Account
}

/** What may be done with an account. What bounds a team is set from above it. */
export function AccountActions({ of: account }: OfAccount) {
  const role = useRole()
  const needed = account.kind === 'user' ? 'accounts' : 'organizations'
  if (!mayChange(needed, role)) return null
  return (
    <>
      <Change of={account} />
      <Switch of={account} />
      <Remove of={account} />
    </>
  )
}

function Change({ of: account }: OfAccount) {
  const [isOpen, setOpen] = useState(false)
  const change = useChange(kinds[account.kind].change, changedAccounts)
  const close = () => {
    setOpen(false)
    change.reset()
  }
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {keyTexts.change}
      </Button>
      <Dialog title={account.name} isOpen={isOpen} onClose={close} size="lg">
        <TermsForm
          initial={valuesOf(account)}
          action={texts.save}
          isPending={change.isPending}
          error={change.error}
          onCancel={close}
          onSubmit={(values) =>
            change.mutate(
              { path: { id: account.id }, body: changesOf(values) },
              { onSuccess: close },
            )
          }
        />
      </Dialog>
    </>
  )
}

/** Disables it with all that is below it, or enables it again. */
function Switch({ of: { id, kind, disabledAt } }: OfAccount) {
  const disable = useChange(kinds[kind].disable, changedAccounts)
  const enable = useChange(kinds[kind].enable, changedAccounts)
  const isDisabled = disabledAt !== undefined
  return (
    <Button
      variant="default"
      loading={disable.isPending || enable.isPending}
      onClick={() => (isDisabled ? enable : disable).mutate({ path: { id } })}
    >
      {isDisabled ? accountTexts.enable : accountTexts.disable}
    </Button>
  )
}

function Remove({ of: { id, kind } }: OfAccount) {
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  const remove = useChange(kinds[kind].remove, [kinds[kind].list])
  return (
    <>
      <Button variant="default" c="var(--mantine-color-error)" onClick={() => setOpen(true)}>
        {accountTexts.remove}
      </Button>
      <Confirm
        title={accountTexts.removeTitle}
        hint={accountTexts.removeHint}
        action={accountTexts.remove}
        isOpen={isOpen}
        isPending={remove.isPending}
        error={remove.error}
        onClose={() => setOpen(false)}
        onConfirm={() =>
          remove.mutate(
            { path: { id } },
            { onSuccess: () => void navigate({ to: kinds[kind].path }) },
          )
        }
      />
    </>
  )
}
