import '@mantine/core/styles/NumberInput.css'
import { Badge, Button, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { Reply } from '../../api/client.ts'
import { useAnswer, useChange } from '../../api/queries.ts'
import { Facts, Section } from '../../parts/facts.tsx'
import { Page } from '../../parts/page.tsx'
import type { Fields } from '../../parts/fields.ts'
import { Answer, Done, Empty } from '../../parts/states.tsx'
import { useRole } from '../../session.ts'
import { modelTexts } from '../../texts/operation.ts'
import { providerTexts } from '../../texts/providers.ts'
import { routeTexts } from '../../texts/routes.ts'
import { SettingsTable } from '../settings/settings-table.tsx'
import { ProviderEditor } from './provider-editor.tsx'

/** One provider: its settings with the source of each value, and a planned edit of one that is kept in the database. */
export function ProviderPage() {
  const { id = '' } = useParams({ strict: false })
  const found = useAnswer('listProviders')
  const stored = useAnswer('getProviderSettings')
  const provider = found.data?.data.find((one) => one.id === id)
  // The mutation outlives the editor, which is mounted again with the applied settings.
  const apply = useChange('applyProviderSettings', [
    'getProviderSettings',
    'listProviders',
    'listRoutedModels',
    'getSettings',
    'listAudit',
  ])
  return (
    <Page
      title={provider?.name ?? id}
      back={{ to: '/models?tab=providers', title: modelTexts.tabs.providers }}
    >
      <Answer of={found}>
        {() =>
          provider ? (
            <State of={provider} />
          ) : (
            <Empty title={providerTexts.unknown}>{providerTexts.unknownHint}</Empty>
          )
        }
      </Answer>
      {provider && <Settings id={id} />}
      {provider?.protocol !== null && (
        <Section title={provider ? providerTexts.change : providerTexts.add}>
          <Answer of={stored}>
            {(settings) => <Change id={id} of={settings} apply={apply} />}
          </Answer>
          <Done>{apply.isSuccess ? routeTexts.applied : undefined}</Done>
        </Section>
      )}
    </Page>
  )
}

function State({ of }: { readonly of: Reply<'listProviders'>['data'][number] }) {
  const { id, on, why, baseUrl, protocol, keys, configuredBy } = of
  return (
    <Section title={id}>
      <Facts
        facts={[
          [
            modelTexts.state,
            <Badge key="state" color={on ? 'teal' : 'gray'}>
              {on ? modelTexts.on : modelTexts.off}
            </Badge>,
          ],
          [modelTexts.why, why ?? baseUrl ?? '–'],
          [modelTexts.protocol, protocol ?? '–'],
          [modelTexts.keys, keys],
          [modelTexts.configuredBy, configuredBy ?? '–'],
        ]}
      />
    </Section>
  )
}

function Settings({ id }: { readonly id: string }) {
  const found = useAnswer('getSettings')
  return (
    <Section title={providerTexts.settings}>
      <Text size="sm" c="dimmed" mb="sm">
        {providerTexts.hint}
      </Text>
      <Answer of={found}>
        {({ data }) => (
          <SettingsTable
            label={providerTexts.settingsOf(id)}
            rows={data.filter(({ path }) => isOf(path, id))}
            empty={<Text size="sm">{providerTexts.unset}</Text>}
          />
        )}
      </Answer>
    </Section>
  )
}

function isOf(path: string, id: string): boolean {
  const place = /^[\w-]+$/.test(id) ? `providers.${id}` : `providers[${JSON.stringify(id)}]`
  return path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`)
}

interface ChangeProps {
  readonly id: string
  readonly of: Reply<'getProviderSettings'>
  readonly apply: ReturnType<typeof useChange<'applyProviderSettings'>>
}

/** The editor of a provider, or why there is none. */
function Change({ id, of: { providers, declared, etag, isSealing }, apply }: ChangeProps) {
  const role = useRole()
  const stored = providers[id]
  if (declared.includes(id)) return <Text size="sm">{providerTexts.declared}</Text>
  if (role !== 'owner') return <Text size="sm">{providerTexts.onlyOwners}</Text>
  const isStored = stored !== undefined
  const remove = isStored && (
    <Button
      mt="lg"
      variant="default"
      c="var(--mantine-color-error)"
      loading={apply.isPending}
      onClick={() => apply.mutate({ body: { providers: { [id]: null }, etag } })}
    >
      {providerTexts.remove}
    </Button>
  )
  if (stored === null)
    return (
      <>
        <Text size="sm">{providerTexts.locked}</Text>
        {remove}
      </>
    )
  if (!isSealing) return <Text size="sm">{providerTexts.needsSealing}</Text>
  return (
    <>
      <ProviderEditor
        key={`${id} ${etag}`}
        id={id}
        before={(stored ?? {}) as Fields}
        etag={etag}
        apply={apply}
      />
      {remove}
    </>
  )
}
