import { Button, Group, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { GatewayOperation } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { Choice } from '../../parts/choice.tsx'
import { SuggestedInput } from '../../parts/suggested-input.tsx'
import { useRole } from '../../session.ts'
import { requestTexts } from '../../texts/requests.ts'
import { IdField } from '../accounts/id-field.tsx'
import {
  type FilterName,
  type Filters,
  furtherFilters,
  type Query,
  usualFilters,
} from './filters.ts'
import classes from './requests.module.css'

interface SearchFormProps {
  readonly asked: Filters
  readonly onAsk: (filters: Filters) => void
}

type Suggestions = readonly (readonly [value: string, label: string])[]

const operations: readonly GatewayOperation[] = [
  'chat',
  'complete',
  'embed',
  'rerank',
  'moderate',
  'transcribe',
  'translate',
  'speak',
  'createImage',
  'editImage',
  'createVideo',
]
const formats = [
  'chat',
  'messages',
  'responses',
  'generateContent',
  'streamGenerateContent',
  'complete',
]
const outcomes: readonly NonNullable<Query['outcome']>[] = [
  'completed',
  'failed',
  'cancelled',
  'incomplete',
  'refused',
]

const same = (values: readonly string[]): Suggestions => values.map((value) => [value, value])

/** Every filter of the search. Choosing a value applies it at once; typed text is applied with the Enter key or the button. */
export function SearchForm({ asked, onAsk }: SearchFormProps) {
  const [draft, setDraft] = useState({ asked, typed: asked })
  // The browser's back and forward buttons may change the page's address; text typed before is then dropped.
  const typed = draft.asked === asked ? draft.typed : asked
  const suggested = useSuggestions()
  const type = (name: FilterName, value: string) =>
    setDraft({ asked, typed: { ...typed, [name]: value } })
  const choose = (name: FilterName, value: string) => onAsk({ ...typed, [name]: value })
  const field = { typed, suggested, onType: type, onChoose: choose }
  function submit(event: FormEvent): void {
    event.preventDefault()
    onAsk(typed)
  }
  return (
    <form onSubmit={submit} className={classes.search}>
      <Choice<string>
        label={requestTexts.filters.time}
        size="xs"
        value={typed.time ?? ''}
        of={requestTexts.times}
        onChange={(value) => choose('time', value)}
      />
      {typed.time === 'between' &&
        (['from', 'to'] as const).map((name) => (
          <TextInput
            key={name}
            type="datetime-local"
            label={requestTexts.filters[name]}
            size="xs"
            value={typed[name] ?? ''}
            onChange={({ currentTarget: { value } }) => type(name, value)}
          />
        ))}
      {usualFilters.map((name) => (
        <Filter key={name} name={name} {...field} />
      ))}
      <details
        className={classes.more}
        open={furtherFilters.some((name) => asked[name] !== undefined) || undefined}
      >
        <summary>{requestTexts.more}</summary>
        <div className={classes.search}>
          {furtherFilters.map((name) => (
            <Filter key={name} name={name} {...field} />
          ))}
        </div>
      </details>
      <Group gap="0.5rem">
        <Button type="submit" size="xs">
          {requestTexts.search}
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={Object.keys(asked).length === 0}
          onClick={() => onAsk({})}
        >
          {requestTexts.clear}
        </Button>
      </Group>
    </form>
  )
}

/** The values of the filters that can have no others. */
const choices = {
  outcome: Object.fromEntries(outcomes.map((one) => [one, requestTexts.outcomes[one]])),
  operation: Object.fromEntries(operations.map((one) => [one, one])),
}

const hints: Partial<Record<FilterName, string>> = {
  status: requestTexts.statusHint,
  model: requestTexts.modelHint,
  requestedModel: requestTexts.requestedModelHint,
}

const lists = {
  key: ['listKeys'],
  user: ['listUsers'],
  team: ['listTeams'],
  organization: ['listOrganizations'],
} as const

interface FilterProps {
  readonly name: (typeof usualFilters | typeof furtherFilters)[number]
  readonly typed: Filters
  readonly suggested: Partial<Record<FilterName, Suggestions>>
  readonly onType: (name: FilterName, value: string) => void
  readonly onChoose: (name: FilterName, value: string) => void
}

function Filter({ name, typed, suggested, onType, onChoose }: FilterProps) {
  const value = typed[name] ?? ''
  const label = requestTexts.filters[name]
  if (name === 'key' || name === 'user' || name === 'team' || name === 'organization')
    return (
      <IdField
        label={label}
        size="xs"
        lists={lists[name]}
        nobody={requestTexts.any}
        value={value}
        onChange={(id) => onChoose(name, id)}
        onType={(text) => onType(name, text)}
      />
    )
  if (name === 'outcome' || name === 'operation')
    return (
      <Choice
        label={label}
        size="xs"
        value={value}
        of={{ '': requestTexts.any, ...choices[name] }}
        otherLabel={value}
        onChange={(chosen) => onChoose(name, chosen)}
      />
    )
  return (
    <SuggestedInput
      label={label}
      size="xs"
      value={value}
      of={suggested[name] ?? []}
      placeholder={hints[name] ?? ''}
      onChange={(typedText) => onType(name, typedText)}
    />
  )
}

/** The known values of filters that name no account and may have others. */
function useSuggestions(): Partial<Record<FilterName, Suggestions>> {
  const isWholeReader = useRole() !== 'team'
  const listed = useAnswer(
    'listRoutedModels',
    { query: { limit: 500 } },
    { isEnabled: isWholeReader },
  )
  const providers = useAnswer('listProviders', {}, { isEnabled: isWholeReader })
  const models = listed.data?.data ?? []
  const upstream = new Set(models.flatMap(({ targets }) => targets.map(({ model }) => model)))
  return {
    requestedModel: same(models.map(({ id }) => id)),
    model: same([...upstream].toSorted()),
    provider: (providers.data?.data ?? [])
      .filter(({ on }) => on)
      .map(({ id, name }) => [id, name] as const),
    format: same(formats),
  }
}
