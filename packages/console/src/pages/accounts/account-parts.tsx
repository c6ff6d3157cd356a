import { Button, Text } from '@mantine/core'
import type { OperationInput, Reply } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { Facts, Section } from '../../parts/facts.tsx'
import { formatCount, formatMicroUsd, formatTime } from '../../parts/formats.ts'
import { Answer } from '../../parts/states.tsx'
import { BudgetLevel, budgetTitle } from '../../parts/terms/budget-levels.tsx'
import { accountTexts } from '../../texts/accounts.ts'
import { termTexts } from '../../texts/terms.ts'
import { texts } from '../../texts/texts.ts'

type Terms = Pick<
  Reply<'getKey'>,
  | 'models'
  | 'addresses'
  | 'tags'
  | 'requestsPerMinute'
  | 'tokensPerMinute'
  | 'concurrentRequests'
  | 'expiresAt'
  | 'output'
  | 'inputBound'
  | 'contentLogging'
>

/** The limits of one account or key; limits that are not set are left out. */
export function TermsFacts({ of: terms }: { readonly of: Terms }) {
  const counts = (['requestsPerMinute', 'tokensPerMinute', 'concurrentRequests'] as const).flatMap(
    (field) => (terms[field] === undefined ? [] : [[termTexts[field], formatCount(terms[field])]]),
  )
  const lists = (['models', 'addresses', 'tags'] as const).flatMap((field) =>
    terms[field] === undefined ? [] : [[termTexts[field], terms[field].join(', ')]],
  )
  const end =
    terms.expiresAt === undefined ? [] : [[termTexts.expires, formatTime(terms.expiresAt)]]
  const { contentLogging: keeps } = terms
  const kept =
    keeps === undefined
      ? []
      : [[termTexts.contentLogging, termTexts.contentLoggingChoices[keeps ? 1 : 2][1]]]
  const bounds = (['output', 'inputBound'] as const).flatMap((field) =>
    termTexts[`${field}Choices`].flatMap(([value, label]) =>
      value !== '' && value === terms[field] ? [[termTexts[field], label]] : [],
    ),
  )
  const facts = [...counts, ...lists, ...end, ...bounds, ...kept] as unknown as readonly (readonly [
    string,
    string,
  ])[]
  return facts.length === 0 ? <Text c="dimmed">{termTexts.none}</Text> : <Facts facts={facts} />
}

/** The budgets of one account or key; renders nothing if it has none. */
export function Budgets({ holder }: { readonly holder: string }) {
  const budgets = useAnswer('listBudgets', { query: { holder } })
  if (budgets.data?.data.length === 0) return null
  return (
    <Section title={termTexts.budgets}>
      <Answer of={budgets}>
        {({ data }) => (
          <Facts
            facts={data.map((budget) => [
              budgetTitle(budget),
              <BudgetLevel key={budget.id} budget={budget} />,
            ])}
          />
        )}
      </Answer>
    </Section>
  )
}

/** The spending of the last 30 days. */
export function Spending({
  title,
  query,
}: {
  readonly title: string
  readonly query: OperationInput<'getUsage'>['query'] & object
}) {
  const usage = useAnswer('getUsage', { query })
  return (
    <Section
      title={title}
      actions={
        <Button
          component="a"
          variant="default"
          size="xs"
          href={`#/requests?${String(new URLSearchParams(query as Record<string, string>))}`}
        >
          {texts.pages.requests}
        </Button>
      }
    >
      <Answer of={usage}>
        {({ total }) => (
          <Facts
            facts={[
              [accountTexts.spent, formatMicroUsd(total.costMicroUsd)],
              [accountTexts.calls, formatCount(total.calls)],
            ]}
          />
        )}
      </Answer>
    </Section>
  )
}
