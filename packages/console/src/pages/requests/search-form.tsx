import { Button, NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, useId, useState } from 'react'
import type { GatewayOperation } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
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

type Choices = readonly (readonly [value: string, label: string])[]

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
]

const same = (values: readonly string[]): Choices => values.map((value) => [value, value])

/** Every filter of the search. Choosing a value applies it at once; typed text is applied with the Enter key or the button. */
export function SearchForm({ asked, onAsk }: SearchFormProps) {
  const [draft, setDraft] = useState({ asked, typed: asked })
  // The browser's back and forward buttons may change the page's address; text typed before is then dropped.
  const typed = draft.asked === asked ? draft.typed : asked
  const choices = useChoices()
  const type = (name: FilterName, value: string) =>
    setDraft({ asked, typed: { ...typed, [name]: value } })
  const choose = (name: FilterName, value: string) => onAsk({ ...typed, [name]: value })
  const field = { typed, choices, onType: type, onChoose: choose }
  function submit(event: FormEvent): void {
    event.preventDefault()
    onAsk(typed)
  }
  return (
    <form onSubmit={submit} className={classes.search}>
      <NativeSelect
        label={requestTexts.filters.time}
        size="xs"
        value={typed.time ?? ''}
        data={Object.entries(requestTexts.times).map(([value, label]) => ({ value, label }))}
        onChange={({ currentTarget: { value } }) => choose('time', value)}
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
      <div className={classes.buttons}>
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
      </div>
    </form>
  )
}

/** The choices of a filter; `isAll` if no other value is possible. */
interface Offered {
  readonly values: Choices
  readonly isAll: boolean
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
  readonly choices: Partial<Record<FilterName, Offered>>
  readonly onType: (name: FilterName, value: string) => void
  readonly onChoose: (name: FilterName, value: string) => void
}

function Filter({ name, typed, choices, onType, onChoose }: FilterProps) {
  const list = useId()
  const value = typed[name] ?? ''
  const { values, isAll } = choices[name] ?? { values: [], isAll: false }
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
  if (isAll) {
    const isListed = value === '' || values.some(([one]) => one === value)
    const offered: Choices = [['', requestTexts.any], ...values]
    return (
      <NativeSelect
        label={label}
        size="xs"
        value={value}
        data={(isListed ? offered : [...offered, [value, value] as const]).map(([one, text]) => ({
          value: one,
          label: text,
        }))}
        onChange={({ currentTarget }) => onChoose(name, currentTarget.value)}
      />
    )
  }
  return (
    <>
      <TextInput
        label={label}
        size="xs"
        value={value}
        list={list}
        placeholder={hints[name] ?? ''}
        onChange={({ currentTarget }) => onType(name, currentTarget.value)}
      />
      {values.length > 0 && (
        <datalist id={list}>
          {values.map(([one, text]) => (
            <option key={one} value={one}>
              {text}
            </option>
          ))}
        </datalist>
      )}
    </>
  )
}

/** The known choices of each filter that does not name an account. */
function useChoices(): Partial<Record<FilterName, Offered>> {
  const isWholeReader = useRole() !== 'team'
  const listed = useAnswer(
    'listRoutedModels',
    { query: { limit: 500 } },
    { isEnabled: isWholeReader },
  )
  const providers = useAnswer('listProviders', {}, { isEnabled: isWholeReader })
  const upstream = new Set(
    (listed.data?.data ?? []).flatMap(({ targets }) => targets.map(({ model }) => model)),
  )
  return {
    requestedModel: {
      values: same((listed.data?.data ?? []).map(({ id }) => id)),
      isAll: false,
    },
    model: { values: same([...upstream].toSorted()), isAll: false },
    provider: {
      values: (providers.data?.data ?? [])
        .filter(({ on }) => on)
        .map(({ id, name }) => [id, name] as const),
      isAll: false,
    },
    outcome: { values: outcomes.map((one) => [one, requestTexts.outcomes[one]]), isAll: true },
    operation: { values: same(operations), isAll: true },
    format: { values: same(formats), isAll: false },
  }
}
