import { Button, type ButtonProps, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import type { OperationId, Reply } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { Choice } from '../../parts/choice.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { ErrorMessage } from '../../parts/states.tsx'
import { ChangeTerms } from '../../parts/terms/change-terms.tsx'
import { SwitchButton } from '../../parts/terms/switch-button.tsx'
import { mayChange, useRole } from '../../session.ts'
import { keyTexts } from '../../texts/keys.ts'
import { texts } from '../../texts/texts.ts'
import { SecretDialog } from './secret-dialog.tsx'

type Key = Reply<'getKey'>
interface OfKey {
  readonly of: Key
}

const changed: readonly OperationId[] = [
  'listKeys',
  'getKey',
  'listBudgets',
  'listOwnKeys',
  'listNames',
]

/** A key, and the operation that changes it: an administrator's, or that of the user who owns the key. */
interface Changed<Operation extends OperationId> extends Pick<ButtonProps, 'size'> {
  readonly of: Pick<Key, 'id' | 'name'>
  readonly operation: Operation
}

/** The actions for a key. Only owners may act on administrators' keys. */
export function KeyActions({ of: key }: OfKey) {
  const role = useRole()
  const isFree = key.role === 'caller' || mayChange('administrators', role)
  if (!mayChange('accounts', role) || !isFree || key.revokedAt !== undefined) return null
  return (
    <>
      <ChangeTerms of={key} operation="changeKey" changes={changed} />
      <Rotate of={key} operation="rotateKey" />
      <SwitchButton of={key} disable="disableKey" enable="enableKey" changes={changed} />
      <Revoke of={key} operation="revokeKey" />
    </>
  )
}

export function Rotate({
  of: { id, name },
  operation,
  size = 'sm',
}: Changed<'rotateKey' | 'rotateOwnKey'>) {
  const [isOpen, setOpen] = useState(false)
  const [overlap, setOverlap] = useState<keyof typeof keyTexts.overlaps>('0')
  const rotate = useChange(operation, changed)
  const close = () => {
    setOpen(false)
    rotate.reset()
  }
  return (
    <>
      <Button
        variant="default"
        size={size}
        aria-label={`${keyTexts.rotate}: ${name}`}
        onClick={() => setOpen(true)}
      >
        {keyTexts.rotate}
      </Button>
      <SecretDialog
        title={keyTexts.rotateTitle}
        doneTitle={keyTexts.rotatedTitle}
        secret={rotate.data?.secret}
        isOpen={isOpen}
        onClose={close}
      >
        <Stack>
          <Choice
            label={keyTexts.overlap}
            value={overlap}
            of={keyTexts.overlaps}
            onChange={setOverlap}
          />
          <ErrorMessage of={rotate.error?.message} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {texts.cancel}
            </Button>
            <Button
              loading={rotate.isPending}
              onClick={() =>
                rotate.mutate({ path: { id }, body: { overlapSeconds: Number(overlap) } })
              }
            >
              {keyTexts.rotate}
            </Button>
          </Group>
        </Stack>
      </SecretDialog>
    </>
  )
}

export function Revoke({
  of: { id, name },
  operation,
  size = 'sm',
}: Changed<'revokeKey' | 'revokeOwnKey'>) {
  const revoke = useChange(operation, changed)
  return (
    <ConfirmButton
      action={keyTexts.revoke}
      aria-label={`${keyTexts.revoke}: ${name}`}
      title={keyTexts.revokeTitle}
      hint={keyTexts.revokeHint}
      size={size}
      c="var(--mantine-color-error)"
      of={revoke}
      onConfirm={(close) => revoke.mutate({ path: { id } }, { onSuccess: close })}
    />
  )
}
