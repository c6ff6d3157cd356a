import { Textarea, TextInput } from '@mantine/core'
import { ApiError } from '../../api/client.ts'
import { termTexts } from '../../texts/terms.ts'
import { Choice } from '../choice.tsx'
import { BudgetFields } from './budget-fields.tsx'
import classes from './terms.module.css'
import type { TermsValues } from './values.ts'

interface TermsFieldsProps {
  readonly values: TermsValues
  readonly onChange: (values: TermsValues) => void
  readonly error: Error | null
  /** Show only the terms that users can set for their own keys. */
  readonly isOfUser: boolean
}

const counts = ['requestsPerMinute', 'tokensPerMinute', 'concurrentRequests'] as const
const lists = ['models', 'addresses', 'tags'] as const
const choices = ['output', 'inputBound', 'ownKeys', 'contentLogging'] as const
const ofUser = { counts: [], lists: ['models'] } as const

/** A name, and the terms that every level can have. */
export function TermsFields({ values, onChange, error, isOfUser }: TermsFieldsProps) {
  const shown = isOfUser ? ofUser : { counts, lists }
  const set = (field: keyof TermsValues, value: string) => onChange({ ...values, [field]: value })
  return (
    <>
      <TextInput
        label={termTexts.name}
        value={values.name}
        onChange={(event) => set('name', event.currentTarget.value)}
        error={problemWith(error, 'name')}
        maxLength={200}
        required
        withAsterisk={false}
        data-autofocus
      />
      <BudgetFields
        budgets={values.budgets}
        onChange={(budgets) => onChange({ ...values, budgets })}
        error={problemWith(error, 'budgets')}
      />
      <div className={classes.columns}>
        {shown.counts.map((field) => (
          <TextInput
            key={field}
            type="number"
            min={1}
            label={termTexts[field]}
            description={termTexts.unlimited}
            value={values[field]}
            onChange={(event) => set(field, event.currentTarget.value)}
            error={problemWith(error, field)}
          />
        ))}
        <TextInput
          type="date"
          label={termTexts.expires}
          description={termTexts.endless}
          value={values.expires}
          onChange={(event) => set('expires', event.currentTarget.value)}
          error={problemWith(error, 'expiresAt')}
        />
      </div>
      {choices.map((field) => {
        const value = values[field]
        return value === undefined || isOfUser ? null : (
          <Choice<string>
            key={field}
            label={termTexts[field]}
            value={value}
            of={termTexts[`${field}Choices`]}
            onChange={(chosen) => set(field, chosen)}
            error={problemWith(error, field)}
          />
        )
      })}
      {shown.lists.map((field) => (
        <Textarea
          key={field}
          label={termTexts[field]}
          description={termTexts[`${field}Hint`]}
          value={values[field]}
          onChange={(event) => set(field, event.currentTarget.value)}
          error={problemWith(error, field)}
          rows={2}
        />
      ))}
    </>
  )
}

/** The gateway's error message for a field, or for an item in it. */
function problemWith(error: Error | null, field: string): string | undefined {
  if (!(error instanceof ApiError) || error.param === undefined) return undefined
  const isThis = error.param === field || error.param.startsWith(`${field}[`)
  return isThis ? error.message : undefined
}
