import { NativeSelect } from '@mantine/core'
import type { Kind } from './kinds.ts'
import { useAccounts } from './names.ts'

interface OwnerSelectProps {
  readonly label: string
  /** What the choice of none is called. */
  readonly nobody: string
  readonly kinds: readonly Kind[]
  readonly value: string
  readonly onChange: (id: string) => void
}

/** Which account something belongs to. */
export function OwnerSelect({ label, nobody, kinds, value, onChange }: OwnerSelectProps) {
  const accounts = useAccounts(kinds)
  return (
    <NativeSelect
      label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[
        { value: '', label: nobody },
        ...accounts.map((account) => ({
          value: account.id,
          label: `${account.name} (${account.kind})`,
        })),
      ]}
    />
  )
}
