import { Button, Code, Group, Stack, Text } from '@mantine/core'
import '@mantine/core/styles/Code.css'
import { useAnswer } from '../../api/queries.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { keyTexts } from '../../texts/keys.ts'
import classes from './keys.module.css'
import { snippetModel } from './snippet-model.ts'
import { Snippets } from './snippet-tabs.tsx'
import { gatewayAddress } from './gateway-address.ts'

/** Shows a secret once, with instructions for using it. */
export function SecretOnce({
  secret,
  onDone,
}: {
  readonly secret: string
  readonly onDone: () => void
}) {
  const models = useAnswer('listModels')
  const model = snippetModel(models.data?.data ?? [])
  return (
    <Stack>
      {/* The button that had the focus is gone; moving the focus here makes screen readers read this text. */}
      <Text ref={focused} tabIndex={-1}>
        {keyTexts.secretHint}
      </Text>
      <div className={classes.secret}>
        <Code className={classes.code} data-testid="secret">
          {secret}
        </Code>
        <CopyButton text={secret} label={keyTexts.secret} />
      </div>
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
