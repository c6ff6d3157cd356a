import { Button, Group, PasswordInput, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ApiError, type Reply } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import type { Fields } from '../../parts/fields.ts'
import { ErrorMessage } from '../../parts/states.tsx'
import { providerTexts } from '../../texts/providers.ts'
import { routeTexts } from '../../texts/routes.ts'
import { PlanView } from './plan-view.tsx'
import { changedFields } from './provider-draft.ts'
import { type ProblemAt, withValue } from './route-draft.ts'
import { OptionFields } from './route-option-fields.tsx'
import { providerGroups } from './route-options.ts'
import classes from './routes.module.css'

interface ProviderEditorProps {
  readonly id: string
  /** The settings without secrets; empty for a provider that is added. */
  readonly before: Fields
  readonly etag: string
  readonly apply: ReturnType<typeof useChange<'applyProviderSettings'>>
}

const textFields = Object.keys(providerTexts.fields) as (keyof typeof providerTexts.fields)[]

/** The fields of a provider in the database; changes are planned before they are applied. */
export function ProviderEditor({ id, before, etag, apply }: ProviderEditorProps) {
  const [draft, setDraft] = useState<Fields>(before)
  const [key, setKey] = useState('')
  const [isBroken, setBroken] = useState(false)
  const plan = useChange('planProviderSettings', [])
  const asked = { [id]: changedFields(before, draft, key) }
  const isCurrent =
    plan.data !== undefined &&
    JSON.stringify(plan.variables?.body?.providers) === JSON.stringify(asked)
  const error = apply.error ?? plan.error
  const problemAt = (name: string) =>
    error instanceof ApiError && error.param === `providers.${id}.${name}`
      ? error.message
      : undefined
  const hasKey = before['key'] !== undefined || before['keys'] !== undefined
  return (
    <>
      <div className={classes.form}>
        <PasswordInput
          label={providerTexts.key}
          description={providerTexts.keyHint}
          placeholder={hasKey ? providerTexts.keyStored : ''}
          autoComplete="off"
          value={key}
          error={problemAt('key')}
          onChange={({ currentTarget: { value } }) => setKey(value)}
        />
        <AddressFields of={draft} problemAt={problemAt} onChange={setDraft} />
        <OptionFields
          groups={providerGroups}
          of={draft}
          problemAt={problemAt}
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
          disabled={!isCurrent || isBroken || plan.data.changes.length === 0}
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

interface AddressFieldsProps {
  readonly of: Fields
  readonly problemAt: ProblemAt
  readonly onChange: (draft: Fields) => void
}

/** Where a provider is, and what it speaks. */
function AddressFields({ of, problemAt, onChange }: AddressFieldsProps) {
  return (
    <>
      {textFields.map((name) => (
        <TextInput
          key={name}
          label={providerTexts.fields[name][0]}
          description={providerTexts.fields[name][1]}
          value={typeof of[name] === 'string' ? of[name] : ''}
          error={problemAt(name)}
          onChange={({ currentTarget: { value } }) =>
            onChange(withValue(of, [name], value === '' ? undefined : value))
          }
        />
      ))}
      <Text size="sm" c="dimmed">
        {providerTexts.moved}
      </Text>
    </>
  )
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
