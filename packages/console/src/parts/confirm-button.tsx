import { Button, type ButtonProps, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { texts } from '../texts/texts.ts'
import { Dialog } from './dialog.tsx'
import { ErrorMessage } from './states.tsx'

interface ConfirmButtonProps extends Pick<ButtonProps, 'size' | 'c'> {
  /** The label of this button, and of the one that confirms. */
  readonly action: string
  readonly 'aria-label'?: string
  readonly title: string
  readonly hint: string
  /** The change that is confirmed. */
  readonly of: { readonly isPending: boolean; readonly error: Error | null }
  readonly onConfirm: (close: () => void) => void
}

/** A button for an action that cannot be undone, for which it asks for confirmation. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { action, title, hint, of, onConfirm, ...button } = props
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button variant="default" {...button} onClick={() => setOpen(true)}>
        {action}
      </Button>
      <Dialog title={title} isOpen={isOpen} onClose={close}>
        <Stack>
          <Text>{hint}</Text>
          <ErrorMessage of={of.error?.message} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {texts.cancel}
            </Button>
            <Button color="red" loading={of.isPending} onClick={() => onConfirm(close)}>
              {action}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  )
}
