import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { ChangeTerms } from '../../parts/terms/change-terms.tsx'
import { SwitchButton } from '../../parts/terms/switch-button.tsx'
import { mayChange, useRole } from '../../session.ts'
import { accountTexts } from '../../texts/accounts.ts'
import { changedAccounts, kinds } from './kinds.ts'

type Account = Reply<'getTeam'>
interface OfAccount {
  readonly of: Account
}

/** The actions for an account. The limits of a team can be changed only by roles above it. */
export function AccountActions({ of: account }: OfAccount) {
  const role = useRole()
  const needed = account.kind === 'user' ? 'accounts' : 'organizations'
  if (!mayChange(needed, role)) return null
  const operations = kinds[account.kind]
  return (
    <>
      <ChangeTerms of={account} operation={operations.change} changes={changedAccounts} />
      <SwitchButton
        of={account}
        disable={operations.disable}
        enable={operations.enable}
        changes={changedAccounts}
      />
      {account.identity !== undefined && <Unlink of={account} />}
      <Remove of={account} />
    </>
  )
}

/** Removes the link between a user and the person who signs in with OpenID Connect. */
function Unlink({ of: { id } }: OfAccount) {
  const [isOpen, setOpen] = useState(false)
  const unlink = useChange('unlinkUser', changedAccounts)
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {accountTexts.unlink}
      </Button>
      <Confirm
        title={accountTexts.unlinkTitle}
        hint={accountTexts.unlinkHint}
        action={accountTexts.unlink}
        isOpen={isOpen}
        isPending={unlink.isPending}
        error={unlink.error}
        onClose={() => setOpen(false)}
        onConfirm={() => unlink.mutate({ path: { id } })}
      />
    </>
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
