import '@mantine/core/styles/Code.css'
import { Code, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/client.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { modelTexts } from '../../texts/operation.ts'

/** The gateway's explanation of how it would route a request; only the fields that the console reads. */
export interface Explanation {
  readonly error?: { readonly message: string }
  readonly targets?: readonly Target[]
  readonly notes?: readonly string[]
}

interface Target {
  readonly target: string
  readonly because: string
  readonly chosen: boolean
  readonly unavailable: string | null
  readonly skipped?: string | null
  readonly mode: string
  readonly dropped: readonly string[]
  readonly error?: { readonly message: string }
}

const columns: readonly TableColumn<Target>[] = [
  { title: modelTexts.targets, cell: ({ target, chosen }) => (chosen ? `→ ${target}` : target) },
  { title: modelTexts.route, cell: ({ because }) => because },
  {
    title: modelTexts.state,
    cell: ({ unavailable, skipped, mode, error }) =>
      error?.message ?? skipped ?? unavailable ?? mode,
  },
]

/** The targets, in the order in which they would be tried. */
export function Explained({
  of: { error, targets = [], notes = [] },
  label,
}: {
  readonly of: Explanation
  /** What the explanation is about, to distinguish several on one page. */
  readonly label: string
}) {
  if (error)
    return (
      <Code block tabIndex={0}>
        {error.message}
      </Code>
    )
  return (
    <>
      <DataTable
        label={`${modelTexts.targets}: ${label}`}
        columns={columns}
        rows={targets}
        idOf={({ target }) => target}
        isCards
      />
      {notes.map((note) => (
        <Text key={note} size="sm">
          {note}
        </Text>
      ))}
    </>
  )
}

/** A short sample request for a model. */
export function sampleOf(model: string) {
  return { model, messages: [{ role: 'user', content: 'Hi' }] }
}

/** How a chat completion for this model would be routed now; undefined for other operations. */
export function useExplanation(model: string, operation: string) {
  const found = useQuery({
    queryKey: ['explain', model],
    queryFn: async ({ signal }) => {
      const answered = await ask('explain', { body: { request: sampleOf(model) }, signal })
      return answered as unknown as Explanation
    },
    enabled: operation === 'chat',
  })
  return operation === 'chat' ? found : undefined
}
