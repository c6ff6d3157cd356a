import { Code, Group, Tabs } from '@mantine/core'
import '@mantine/core/styles/Code.css'
import '@mantine/core/styles/Tabs.css'
import { CopyButton } from '../../parts/copy-button.tsx'
import classes from './keys.module.css'
import { type SnippetValues, snippets } from './snippets.ts'

/** How to configure clients for this gateway, with a tab for each client. */
export function Snippets({ place }: { readonly place: SnippetValues }) {
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
