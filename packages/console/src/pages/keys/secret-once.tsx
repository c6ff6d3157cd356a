import { Button, Code, Group, Stack, Tabs, Text } from '@mantine/core'
import '@mantine/core/styles/Code.css'
import '@mantine/core/styles/Tabs.css'
import { useAnswer } from '../../api/queries.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { keyTexts } from '../../texts/keys.ts'
import classes from './keys.module.css'
import { gatewayAddress, type Place, snippets } from './snippets.ts'

/** A secret that is shown this once, and how it is used. */
export function SecretOnce({
  secret,
  onDone,
}: {
  readonly secret: string
  readonly onDone: () => void
}) {
  const models = useAnswer('listModels')
  const model = models.data?.data[0]?.id ?? 'MODEL'
  return (
    <Stack>
      <Text>{keyTexts.secretHint}</Text>
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

function Snippets({ place }: { readonly place: Place }) {
  return (
    <Tabs defaultValue="curl" keepMounted={false}>
      <Tabs.List>
        {snippets.map(([name]) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(([name, format]) => (
        <Tabs.Panel key={name} value={name} pt="sm">
          <Code block className={classes.code} tabIndex={0}>
            {format(place)}
          </Code>
          <Group justify="flex-end" mt="xs">
            <CopyButton text={format(place)} label={name} />
          </Group>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
