import '@mantine/core/styles/NumberInput.css'
import { Badge, Button, Group, Text, Textarea } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, type Reply } from '../../api/client.ts'
import { useAnswer, useChange } from '../../api/queries.ts'
import { Facts, Section } from '../../parts/facts.tsx'
import { Page } from '../../parts/page.tsx'
import type { Fields } from '../../parts/fields.ts'
import { Answer, Done, Empty, ErrorMessage } from '../../parts/states.tsx'
import { useRole } from '../../session.ts'
import { modelTexts } from '../../texts/operation.ts'
import { providerTexts } from '../../texts/providers.ts'
import { routeTexts } from '../../texts/routes.ts'
import { SettingsTable } from '../settings/settings-table.tsx'
import { PlanView } from './plan-view.tsx'
import { withValue } from './route-draft.ts'
import { OptionFields } from './route-option-fields.tsx'
import { providerGroups } from './route-options.ts'
import classes from './routes.module.css'

/** One provider: its settings with the source of each value, and a planned edit of those that can be changed here. */
export function ProviderPage() {
  const { id = '' } = useParams({ strict: false })
  const found = useAnswer('listProviders')
  const written = useAnswer('getProviderSettings')
  const role = useRole()
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
        {() => (provider ? <State of={provider} /> : <Empty title={providerTexts.unknown} />)}
      </Answer>
      <Settings id={id} />
      {(role === 'owner' || role === 'operator') && provider?.protocol !== null && (
        <Section title={providerTexts.change}>
          <Answer of={written}>
            {(settings) => <Editor key={settings.etag} id={id} of={settings} apply={apply} />}
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

interface EditorProps {
  readonly id: string
  readonly of: Reply<'getProviderSettings'>
  readonly apply: ReturnType<typeof useChange<'applyProviderSettings'>>
}

function Editor({ id, of: { providers, etag }, apply }: EditorProps) {
  const [draft, setDraft] = useState<Fields>(() => (providers[id] ?? {}) as Fields)
  const [isBroken, setBroken] = useState(false)
  const plan = useChange('planProviderSettings', [])
  const asked = { [id]: draft }
  const isCurrent =
    plan.data !== undefined &&
    JSON.stringify(plan.variables?.body?.providers) === JSON.stringify(asked)
  const error = apply.error ?? plan.error
  const place = `providers.${id}.`
  return (
    <>
      <div className={classes.form}>
        <OptionFields
          groups={providerGroups}
          of={draft}
          problemAt={(name) => (isAt(error, place + name) ? error?.message : undefined)}
          onChange={setDraft}
        />
        <Models
          of={draft['models']}
          onChange={(models) => setDraft(withValue(draft, ['models'], models))}
          onBroken={setBroken}
        />
      </div>
      <Group mt="md">
        <Button
          disabled={isBroken}
          loading={plan.isPending}
          onClick={() => {
            apply.reset()
            plan.mutate({ body: { providers: asked } })
          }}
        >
          {routeTexts.plan}
        </Button>
        <Button
          variant="default"
          disabled={
            !isCurrent || isBroken || !plan.data.isWritable || plan.data.changes.length === 0
          }
          loading={apply.isPending}
          onClick={() => apply.mutate({ body: { providers: asked, etag } })}
        >
          {routeTexts.apply}
        </Button>
        <Text size="sm" c="dimmed">
          {routeTexts.planHint}
        </Text>
      </Group>
      <ErrorMessage of={error?.message} mt="md" />
      {plan.data && isCurrent && <Planned of={plan.data} />}
    </>
  )
}

function isAt(error: Error | null, place: string): boolean {
  return error instanceof ApiError && error.param === place
}

function Planned({
  of: { changes, problems, ...plan },
}: {
  readonly of: Reply<'planProviderSettings'>
}) {
  return (
    <PlanView
      of={{
        ...plan,
        changes: changes.map(({ provider: model, ...change }) => ({ model, ...change })),
        problems: problems.map(({ provider: model, problem }) => ({ model, problem })),
      }}
      problemsTitle={providerTexts.wouldBeOff}
    />
  )
}

interface ModelsProps {
  readonly of: unknown
  readonly onChange: (models: readonly unknown[] | undefined) => void
  readonly onBroken: (isBroken: boolean) => void
}

function Models({ of, onChange, onBroken }: ModelsProps) {
  const [text, setText] = useState(() =>
    (Array.isArray(of) ? of : [])
      .map((model) => (typeof model === 'string' ? model : JSON.stringify(model)))
      .join('\n'),
  )
  const models = modelsIn(text)
  return (
    <Textarea
      label={providerTexts.models}
      description={providerTexts.modelsHint}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        const parsed = modelsIn(value)
        setText(value)
        onBroken(parsed === undefined)
        if (parsed) onChange(parsed.length === 0 ? undefined : parsed)
      }}
      error={models === undefined ? providerTexts.badModel : undefined}
      autosize
      minRows={3}
      maxRows={16}
    />
  )
}

/** The models, one per line: a name, or JSON in braces. Undefined if a line in braces is not valid JSON. */
function modelsIn(text: string): readonly unknown[] | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  try {
    return lines.map((line): unknown => (line.startsWith('{') ? JSON.parse(line) : line))
  } catch {
    return undefined
  }
}
