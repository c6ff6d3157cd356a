import { Alert, Button, type ButtonProps, Group, NativeSelect, Stack } from '@mantine/core'
import { useState } from 'react'
import type { OperationId, Reply } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ChangeTerms } from '../../parts/terms/change-terms.tsx'
import { SwitchButton } from '../../parts/terms/switch-button.tsx'
import { mayChange, useRole } from '../../session.ts'
import { keyTexts } from '../../texts/keys.ts'
import { texts } from '../../texts/texts.ts'
import { SecretOnce } from './secret-once.tsx'

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
  const [overlap, setOverlap] = useState('0')
  const rotate = useChange(operation, changed)
  const close = () => {
    setOpen(false)
    rotate.reset()
  }
  const secret = rotate.data?.secret
  const title = secret === undefined ? keyTexts.rotateTitle : keyTexts.rotatedTitle
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
      <Dialog
        title={title}
        isOpen={isOpen}
        onClose={close}
        size={secret === undefined ? 'md' : 'lg'}
      >
        {secret === undefined ? (
          <Stack>
            <NativeSelect
              label={keyTexts.overlap}
              data={keyTexts.overlaps.map(([value, label]) => ({ value, label }))}
              value={overlap}
              onChange={(event) => setOverlap(event.currentTarget.value)}
            />
            {rotate.error && (
              <Alert color="red" variant="outline" role="alert">
                {rotate.error.message}
              </Alert>
            )}
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
        ) : (
          <SecretOnce secret={secret} onDone={close} />
        )}
      </Dialog>
    </>
  )
}

export function Revoke({
  of: { id, name },
  operation,
  size = 'sm',
}: Changed<'revokeKey' | 'revokeOwnKey'>) {
  const [isOpen, setOpen] = useState(false)
  const revoke = useChange(operation, changed)
  return (
    <>
      <Button
        variant="default"
        size={size}
        c="var(--mantine-color-error)"
        aria-label={`${keyTexts.revoke}: ${name}`}
        onClick={() => setOpen(true)}
      >
        {keyTexts.revoke}
      </Button>
      <Confirm
        title={keyTexts.revokeTitle}
        hint={keyTexts.revokeHint}
        action={keyTexts.revoke}
        isOpen={isOpen}
        isPending={revoke.isPending}
        error={revoke.error}
        onClose={() => setOpen(false)}
        onConfirm={() => revoke.mutate({ path: { id } }, { onSuccess: () => setOpen(false) })}
      />
    </>
  )
}
