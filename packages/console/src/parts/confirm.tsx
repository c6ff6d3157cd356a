import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { texts } from '../texts/texts.ts'
import { Dialog } from './dialog.tsx'

interface ConfirmProps {
  readonly title: string
  readonly hint: string
  readonly action: string
  readonly isOpen: boolean
  readonly isPending: boolean
  readonly error: Error | null
  readonly onClose: () => void
  readonly onConfirm: () => void
}

/** Asks for confirmation before an action that cannot be undone. */
export function Confirm(props: ConfirmProps) {
  const { title, hint, action, isOpen, isPending, error, onClose, onConfirm } = props
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <Stack>
        <Text>{hint}</Text>
        {error && (
          <Alert color="red" variant="outline" role="alert">
            {error.message}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.cancel}
          </Button>
          <Button color="red" loading={isPending} onClick={onConfirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
