import { Button, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { ask } from '../../api/client.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { rowsOf } from '../../parts/paged-table.tsx'
import { Page } from '../../parts/page.tsx'
import { Answer, Empty, ErrorMessage, NothingCalled } from '../../parts/states.tsx'
import { requestTexts } from '../../texts/requests.ts'
import { texts } from '../../texts/texts.ts'
import { useNames } from '../accounts/names.tsx'
import { type Filters, isUntilNow, type Query, queryOf } from './filters.ts'
import { type LiveRequest, useLive } from './live.ts'
import { requestColumns } from './request-columns.tsx'
import classes from './requests.module.css'
import { SearchForm } from './search-form.tsx'
import { useFilters } from './use-filters.ts'

const pageLength = 200

/** A live list of calls, and a search of all calls. */
export function RequestsPage() {
  const [filters, setFilters] = useFilters()
  const [wantsLive, setWantsLive] = useState(true)
  const isLive = wantsLive && isUntilNow(filters)
  // Until the filters change, "the last hour" is relative to the first page's request, so that all pages agree.
  const [now, setNow] = useState(Date.now)
  const query = useMemo(() => queryOf(filters, now), [filters, now])
  const live = useLive(liveSearch(query), isLive)
  return (
    <Page
      title={texts.pages.requests}
      actions={
        isUntilNow(filters) && (
          <Button variant="default" onClick={() => setWantsLive(!wantsLive)}>
            {isLive ? requestTexts.stop : requestTexts.live}
          </Button>
        )
      }
    >
      <SearchForm
        asked={filters}
        onAsk={(asked) => {
          setNow(Date.now())
          setFilters(asked)
        }}
      />
      <output className={classes.state}>
        {isLive && (
          <Text size="sm" c="dimmed">
            <span className={classes.pulse} data-lost={live.isLost || undefined} />
            {live.isLost ? requestTexts.lost : requestTexts.following}
            {live.isSkipping && ` · ${requestTexts.skipped}`}
          </Text>
        )}
      </output>
      <Found query={query} filters={filters} live={live.requests} />
    </Page>
  )
}

interface FoundProps {
  readonly query: Query
  readonly filters: Filters
  readonly live: readonly LiveRequest[]
}

function Found({ query, filters, live }: FoundProps) {
  const found = useFound(query)
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = found
  const rows = useMemo(() => joined(live, rowsOf({ data })), [live, data])
  const nameOf = useNames(rows.flatMap(({ key, user, team }) => [key, user, team]))
  const columns = useMemo(() => requestColumns(nameOf), [nameOf])
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  return (
    <>
      <Answer of={found}>
        {() => (
          <DataTable
            label={`${texts.pages.requests}: ${rows.length} ${requestTexts.loaded}`}
            columns={columns}
            rows={rows}
            idOf={idOf}
            empty={<Nothing isAll={Object.keys(filters).length === 0} />}
            choiceOf="requests"
            onEnd={onEnd}
          />
        )}
      </Answer>
      {data && <ErrorMessage of={found.error?.message} mt="md" />}
    </>
  )
}

const idOf = ({ id }: LiveRequest) => id

function Nothing({ isAll }: { readonly isAll: boolean }) {
  if (!isAll) return <Empty title={requestTexts.none}>{requestTexts.noneHint}</Empty>
  return <NothingCalled title={requestTexts.noneSoFar}>{requestTexts.noneSoFarHint}</NothingCalled>
}

function useFound(query: Query) {
  return useInfiniteQuery({
    queryKey: ['listRequests', 'pages', query],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      ask('listRequests', {
        query: {
          ...query,
          limit: pageLength,
          ...(pageParam !== undefined && { cursor: pageParam }),
        },
        signal,
      }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    // Loaded pages do not change, so comparing thousands of rows when the next page arrives is unnecessary.
    structuralSharing: false,
  })
}

/** The query string of the live list, which has no times because it shows the present. */
function liveSearch({ from: _from, to: _to, ...query }: Query): string {
  const given = Object.entries(query).map(([name, value]) => [name, String(value)])
  return given.length > 0 ? `?${new URLSearchParams(given)}` : ''
}

/** The live requests above the listed ones, without duplicates. */
function joined(live: readonly LiveRequest[], listed: readonly LiveRequest[]) {
  if (live.length === 0) return listed
  const followed = new Set(live.map(({ id }) => id))
  return [...live, ...listed.filter(({ id }) => !followed.has(id))]
}
