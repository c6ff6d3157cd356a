import { Button, Code, Group, Stack, Text } from '@mantine/core'
import '@mantine/core/styles/Code.css'
import type { ComponentProps } from 'react'
import { useAnswer } from '../../api/queries.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { keyTexts } from '../../texts/keys.ts'
import { gatewayAddress } from './gateway-address.ts'
import classes from './keys.module.css'
import { Snippets } from './snippet-tabs.tsx'
import { snippetModel } from './snippets.ts'

interface SecretDialogProps extends ComponentProps<typeof Dialog> {
  /** The title once there is a secret. */
  readonly doneTitle: string
  readonly secret: string | undefined
}

/** A dialog with a form for a secret; once there is one, it is shown in place of the form, once. */
export function SecretDialog(props: SecretDialogProps) {
  const { title, doneTitle, secret, children, ...dialog } = props
  if (secret === undefined)
    return (
      <Dialog title={title} {...dialog}>
        {children}
      </Dialog>
    )
  return (
    <Dialog title={doneTitle} {...dialog} size="lg">
      <SecretOnce secret={secret} onDone={dialog.onClose} />
    </Dialog>
  )
}

/** A secret, with instructions for using it. */
function SecretOnce({ secret, onDone }: { readonly secret: string; readonly onDone: () => void }) {
  const models = useAnswer('listModels')
  const model = snippetModel(models.data?.data ?? [])
  return (
    <Stack>
      {/* The button that had the focus is gone; moving the focus here makes screen readers read this text. */}
      <Text ref={focused} tabIndex={-1}>
        {keyTexts.secretHint}
      </Text>
      <Group gap="0.75rem">
        <Code className={classes.code} data-testid="secret">
          {secret}
        </Code>
        <CopyButton text={secret} label={keyTexts.secret} />
      </Group>
      <Text fw={600}>{keyTexts.use}</Text>
      <Snippets place={{ address: gatewayAddress(), secret, model }} />
      <Group justify="flex-end">
        <Button onClick={onDone}>{keyTexts.done}</Button>
      </Group>
    </Stack>
  )
}

function focused(element: HTMLElement | null): void {
  element?.focus()
}
