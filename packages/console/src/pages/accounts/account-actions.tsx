import { useNavigate } from '@tanstack/react-router'
import type { Reply } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
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
  const unlink = useChange('unlinkUser', changedAccounts)
  return (
    <ConfirmButton
      action={accountTexts.unlink}
      title={accountTexts.unlinkTitle}
      hint={accountTexts.unlinkHint}
      of={unlink}
      onConfirm={() => unlink.mutate({ path: { id } })}
    />
  )
}

function Remove({ of: { id, kind } }: OfAccount) {
  const navigate = useNavigate()
  const { path: to, list, remove: operation } = kinds[kind]
  const remove = useChange(operation, [list])
  return (
    <ConfirmButton
      action={accountTexts.remove}
      title={accountTexts.removeTitle}
      hint={accountTexts.removeHint}
      c="var(--mantine-color-error)"
      of={remove}
      onConfirm={() => remove.mutate({ path: { id } }, { onSuccess: () => void navigate({ to }) })}
    />
  )
}
