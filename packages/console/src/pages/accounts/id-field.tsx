import type { NativeSelectProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQueries, type UseQueryResult } from '@tanstack/react-query'
import { ask, type Reply } from '../../api/client.ts'
import { Choice } from '../../parts/choice.tsx'
import { SuggestedInput } from '../../parts/suggested-input.tsx'
import { useNames } from './names.tsx'

type ListId = 'listKeys' | 'listUsers' | 'listTeams' | 'listOrganizations'

/** Maximum number of choices offered at once. */
const offeredMax = 100
const typingMs = 200

interface IdFieldProps extends Pick<NativeSelectProps, 'size'> {
  readonly label: string
  /** The lists whose items may be chosen. */
  readonly lists: readonly ListId[]
  /** The label of the choice of nothing. */
  readonly nobody: string
  readonly value: string
  readonly onChange: (id: string) => void
  /** Called with typed text before an item is chosen; default: `onChange`. */
  readonly onType?: (text: string) => void
}

/** A field for one key or account: chosen from all of them or, if there are many, searched by part of the name. */
export function IdField(props: IdFieldProps) {
  const { label, lists, nobody, value, onChange, onType = onChange, size = 'sm' } = props
  const first = useOffered(lists, '')
  const isMany = first?.hasMore === true
  const [searched] = useDebouncedValue(value, typingMs)
  const found = useOffered(isMany ? lists : [], searched)
  const name = useNames([searched])(value)
  if (!isMany)
    return (
      <Choice
        label={label}
        size={size}
        value={value}
        of={{ '': nobody, ...Object.fromEntries(optionsOf(first?.items ?? [], lists)) }}
        otherLabel={name}
        onChange={onChange}
      />
    )
  return (
    <SuggestedInput
      label={label}
      size={size}
      value={value}
      of={optionsOf(found?.items ?? [], lists)}
      placeholder={nobody}
      {...(name !== value && { description: name })}
      onChange={onType}
    />
  )
}

type Item = Reply<'listKeys' | 'listTeams'>['data'][number]

function optionsOf(items: readonly Item[], lists: readonly ListId[]) {
  return items.map((item) => {
    // If several kinds may be chosen, each label includes the kind.
    const label = lists.length > 1 && 'kind' in item ? `${item.name} (${item.kind})` : item.name
    return [item.id, label] as const
  })
}

interface Offered {
  readonly items: readonly Item[]
  readonly hasMore: boolean
}

/** The items of the lists that match a name; undefined until all lists have responded. */
function useOffered(lists: readonly ListId[], search: string): Offered | undefined {
  return useQueries({
    queries: lists.map((id) => ({
      queryKey: [id, 'offered', search],
      queryFn: ({ signal }: { readonly signal: AbortSignal }): Promise<Reply<ListId>> =>
        ask(id, { query: { search, limit: offeredMax }, signal }),
    })),
    combine: joined,
  })
}

function joined(results: readonly UseQueryResult<Reply<ListId>>[]): Offered | undefined {
  const answers = results.flatMap(({ data }) => (data ? [data] : []))
  if (answers.length < results.length || answers.length === 0) return undefined
  return {
    items: answers.flatMap(({ data }): readonly Item[] => data),
    hasMore: answers.some(({ has_more: hasMore }) => hasMore),
  }
}
