import { NativeSelect, type NativeSelectProps, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQueries, type UseQueryResult } from '@tanstack/react-query'
import { useId, useMemo } from 'react'
import { ask, type Reply } from '../../api/client.ts'
import { useNames } from './names.ts'

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
  const ids = useMemo(() => [searched], [searched])
  const name = useNames(ids)(value)
  const list = useId()
  if (!isMany) {
    const options = optionsOf(first?.items ?? [], lists)
    const isListed = value === '' || options.some((option) => option.value === value)
    return (
      <NativeSelect
        label={label}
        size={size}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        data={[
          { value: '', label: nobody },
          ...options,
          ...(isListed ? [] : [{ value, label: name }]),
        ]}
      />
    )
  }
  return (
    <>
      <TextInput
        label={label}
        size={size}
        value={value}
        list={list}
        placeholder={nobody}
        {...(name !== value && { description: name })}
        onChange={({ currentTarget }) => onType(currentTarget.value)}
      />
      <datalist id={list}>
        {optionsOf(found?.items ?? [], lists).map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </datalist>
    </>
  )
}

type Item = Reply<'listKeys' | 'listTeams'>['data'][number]

function optionsOf(items: readonly Item[], lists: readonly ListId[]) {
  return items.map((item) => ({
    value: item.id,
    // If several kinds may be chosen, each label includes the kind.
    label: lists.length > 1 && 'kind' in item ? `${item.name} (${item.kind})` : item.name,
  }))
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
