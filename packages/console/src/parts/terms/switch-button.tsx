import { Button } from '@mantine/core'
import type { OperationId } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { keyTexts } from '../../texts/keys.ts'

interface SwitchButtonProps {
  readonly of: { readonly id: string; readonly disabledAt?: number }
  readonly disable: 'disableKey' | 'disableOrganization' | 'disableTeam' | 'disableUser'
  readonly enable: 'enableKey' | 'enableOrganization' | 'enableTeam' | 'enableUser'
  /** The operations to load again afterwards. */
  readonly changes: readonly OperationId[]
}

/** Disables a key, or an account with everything below it, or enables it again. */
export function SwitchButton({ of: { id, disabledAt }, ...operations }: SwitchButtonProps) {
  const disable = useChange(operations.disable, operations.changes)
  const enable = useChange(operations.enable, operations.changes)
  const isDisabled = disabledAt !== undefined
  return (
    <Button
      variant="default"
      loading={disable.isPending || enable.isPending}
      onClick={() => (isDisabled ? enable : disable).mutate({ path: { id } })}
    >
      {isDisabled ? keyTexts.enable : keyTexts.disable}
    </Button>
  )
}
