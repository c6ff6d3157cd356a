import { Alert, Button, NativeSelect, Text, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ask } from '../../api/client.ts'
import { Page } from '../../parts/page.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { requestTexts } from '../../texts/operation.ts'
import { texts } from '../../texts/texts.ts'
import { type LiveRequest, useLive } from './live.ts'
import { RequestTable } from './request-table.tsx'
import classes from './requests.module.css'

const filterNames = [
  'id',
  'model',
  'provider',
  'key',
  'user',
  'team',
  'operation',
  'tag',
  'status',
] as const
type Filter = (typeof filterNames)[number] | 'outcome' | 'from' | 'to'
type Filters = Readonly<Partial<Record<Filter, string>>>

const pageLength = 200
const outcomes = ['completed', 'failed', 'cancelled', 'incomplete'] as const

/** Calls as they come, and all that were made. */
export function RequestsPage() {
  const [filters, setFilters] = useState<Filters>({})
  const [isLive, setLive] = useState(true)
  const { from: _from, to: _to, ...named } = filters
  const search = searchOf(named)
  const live = useLive(search, isLive)
  const found = useFound(filters)
  return (
    <Page
      title={texts.pages.requests}
      actions={
        <Button variant={isLive ? 'filled' : 'default'} onClick={() => setLive(!isLive)}>
          {isLive ? requestTexts.stop : requestTexts.live}
        </Button>
      }
    >
      <SearchForm asked={filters} onAsk={setFilters} />
      <output className={classes.state}>
        {isLive && (
          <Text size="sm" c="dimmed">
            {live.isLost ? requestTexts.lost : requestTexts.following}
            {live.isSkipping && ` · ${requestTexts.skipped}`}
          </Text>
        )}
      </output>
      <Answer of={found}>
        {({ pages }) => {
          const listed = pages.flatMap(({ data }) => data)
          const rows = joined(live.requests, listed)
          if (rows.length === 0)
            return <Empty title={requestTexts.none}>{requestTexts.noneHint}</Empty>
          return (
            <RequestTable
              rows={rows}
              onEnd={() => {
                if (found.hasNextPage && !found.isFetchingNextPage) void found.fetchNextPage()
              }}
            />
          )
        }}
      </Answer>
      {found.data && found.error && (
        <Alert color="red" mt="md" role="alert">
          {found.error.message}
        </Alert>
      )}
    </Page>
  )
}

function useFound(filters: Filters) {
  return useInfiniteQuery({
    queryKey: ['listRequests', 'pages', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      ask('listRequests', {
        query: {
          ...filters,
          limit: pageLength,
          ...(pageParam !== undefined && { cursor: pageParam }),
        },
        signal,
      }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
}

function searchOf(filters: Filters): string {
  const search = new URLSearchParams(
    Object.entries(filters).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  return search.size > 0 ? `?${search}` : ''
}

/** What was followed stands above what was found, each once. */
function joined(live: readonly LiveRequest[], listed: readonly LiveRequest[]) {
  if (live.length === 0) return listed
  const followed = new Set(live.map(({ id }) => id))
  return [...live, ...listed.filter(({ id }) => !followed.has(id))]
}

interface SearchFormProps {
  readonly asked: Filters
  readonly onAsk: (filters: Filters) => void
}

function SearchForm({ asked, onAsk }: SearchFormProps) {
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    const given = [...new FormData(event.currentTarget)].flatMap(([name, value]) => {
      if (typeof value !== 'string' || value.trim() === '') return []
      const isTime = name === 'from' || name === 'to'
      return [[name, isTime ? new Date(value).toISOString() : value.trim()] as const]
    })
    onAsk(Object.fromEntries(given))
  }
  return (
    <form onSubmit={submit} onReset={() => onAsk({})} className={classes.search}>
      {filterNames.map((name) => (
        <TextInput
          key={name}
          name={name}
          label={requestTexts.filters[name]}
          defaultValue={asked[name] ?? ''}
          placeholder={name === 'status' ? requestTexts.statusHint : ''}
          size="xs"
        />
      ))}
      <NativeSelect
        name="outcome"
        label={requestTexts.filters.outcome}
        size="xs"
        data={[
          { value: '', label: requestTexts.anyOutcome },
          ...outcomes.map((value) => ({ value, label: requestTexts.outcomes[value] })),
        ]}
      />
      {(['from', 'to'] as const).map((name) => (
        <TextInput
          key={name}
          name={name}
          type="datetime-local"
          label={requestTexts.filters[name]}
          size="xs"
        />
      ))}
      <div className={classes.buttons}>
        <Button type="submit" size="xs">
          {requestTexts.search}
        </Button>
        <Button type="reset" size="xs" variant="default">
          {requestTexts.clear}
        </Button>
      </div>
    </form>
  )
}
