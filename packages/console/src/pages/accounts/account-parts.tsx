import { Button, Text } from '@mantine/core'
import type { OperationInput } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { Facts, Section } from '../../parts/facts.tsx'
import { formatCount, formatMicroUsd, formatTime } from '../../parts/formats.ts'
import { Answer } from '../../parts/states.tsx'
import { BudgetLevel, budgetTitle } from '../../parts/terms/budget-levels.tsx'
import type { ShownTerms } from '../../parts/terms/values.ts'
import { accountTexts } from '../../texts/accounts.ts'
import { termTexts } from '../../texts/terms.ts'
import { texts } from '../../texts/texts.ts'

const counts = ['requestsPerMinute', 'tokensPerMinute', 'concurrentRequests'] as const
const lists = ['models', 'addresses', 'tags'] as const

/** The limits of one account or key; limits that are not set are left out. */
export function TermsFacts({ of: terms }: { readonly of: Partial<ShownTerms> }) {
  const { expiresAt, output, inputBound, contentLogging } = terms
  const known: readonly (readonly [string, string | undefined])[] = [
    ...counts.map((field) => {
      const count = terms[field]
      return [termTexts[field], count === undefined ? undefined : formatCount(count)] as const
    }),
    ...lists.map((field) => [termTexts[field], terms[field]?.join(', ')] as const),
    [termTexts.expires, expiresAt === undefined ? undefined : formatTime(expiresAt)],
    [termTexts.output, output && termTexts.outputChoices[output]],
    [termTexts.inputBound, inputBound && termTexts.inputBoundChoices[inputBound]],
    [
      termTexts.contentLogging,
      contentLogging === undefined
        ? undefined
        : termTexts.contentLoggingChoices[contentLogging ? 'yes' : 'no'],
    ],
  ]
  const facts = known.filter(([, value]) => value !== undefined)
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
