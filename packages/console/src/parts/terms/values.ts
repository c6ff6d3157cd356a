import type { OperationInput, Reply } from '../../api/client.ts'

type Account = Partial<ShownTerms> & Pick<Reply<'getTeam'>, 'ownKeys'>
/** The terms of a key or an account that the console shows, and its name. */
export type ShownTerms = Pick<
  Reply<'getTeam'>,
  | 'name'
  | 'models'
  | 'requestsPerMinute'
  | 'tokensPerMinute'
  | 'concurrentRequests'
  | 'expiresAt'
  | 'addresses'
  | 'tags'
  | 'budgets'
  | 'output'
  | 'inputBound'
  | 'contentLogging'
>
export type Changes = NonNullable<OperationInput<'changeTeam'>['body']>
type Budget = NonNullable<ShownTerms['budgets']>[number]

/** The form values of a name and terms, as typed text. */
export interface TermsValues {
  readonly name: string
  readonly models: string
  readonly requestsPerMinute: string
  readonly tokensPerMinute: string
  readonly concurrentRequests: string
  /** A date in the format YYYY-MM-DD. */
  readonly expires: string
  readonly addresses: string
  readonly tags: string
  readonly budgets: readonly BudgetValues[]
  /** What budgets reserve for a response without a limit. */
  readonly output: '' | NonNullable<ShownTerms['output']>
  /** How budgets reckon input. */
  readonly inputBound: '' | NonNullable<ShownTerms['inputBound']>
  /** Whether prompts and responses are recorded. */
  readonly contentLogging: Choice
  /** Absent for keys. */
  readonly ownKeys?: Choice
}

/** Yes, no, or empty to leave it to the other levels. */
export type Choice = '' | 'yes' | 'no'

export interface BudgetValues {
  /** Identifies the row of the form. */
  readonly row: number
  /** Absent if the budget is new. */
  readonly id?: string
  readonly usd: string
  readonly window: string
  readonly model: string
  readonly tag: string
  /** The route that takes the calls once the budget is spent. */
  readonly over: string
  /** As it was read: this form does not change it. */
  readonly timeZone?: string
}

const microPerUsd = 1_000_000

export function valuesOf(shown: Partial<ShownTerms> = {}): TermsValues {
  const { name = '', models = [], addresses = [], tags = [], budgets = [], expiresAt } = shown
  return {
    name,
    models: models.join('\n'),
    requestsPerMinute: textOf(shown.requestsPerMinute),
    tokensPerMinute: textOf(shown.tokensPerMinute),
    concurrentRequests: textOf(shown.concurrentRequests),
    expires: expiresAt === undefined ? '' : dayOf(expiresAt),
    addresses: addresses.join('\n'),
    tags: tags.join('\n'),
    budgets: budgets.map((budget, row) => budgetValues(budget, row)),
    output: shown.output ?? '',
    inputBound: shown.inputBound ?? '',
    contentLogging: choiceOf(shown.contentLogging),
  }
}

/** The same for an account, below which users may have their own keys. */
export function accountValuesOf(account: Account = {}): TermsValues {
  return { ...valuesOf(account), ownKeys: choiceOf(account.ownKeys) }
}

/**
 * The terms of a form that differ from those shown at first. The others are not sent, because somebody else may have changed
 * them meanwhile, and because a time of day is more precise than what the form shows.
 */
export function changesOf(values: TermsValues, shown: TermsValues): Changes {
  const before: Changes = termsIn(shown)
  const isChanged = ([field, value]: readonly [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(before[field as keyof Changes])
  return Object.fromEntries(Object.entries(termsIn(values)).filter(isChanged))
}

/** Every term of the form; an empty one is null, which removes the term. */
function termsIn(values: TermsValues): Changes {
  const { name, models, addresses, tags, expires, budgets, ownKeys } = values
  return {
    ...(ownKeys !== undefined && { ownKeys: chosen(ownKeys) }),
    output: values.output || null,
    inputBound: values.inputBound || null,
    contentLogging: chosen(values.contentLogging),
    name: name.trim(),
    models: listOf(models),
    requestsPerMinute: numberOf(values.requestsPerMinute),
    tokensPerMinute: numberOf(values.tokensPerMinute),
    concurrentRequests: numberOf(values.concurrentRequests),
    expiresAt: expires === '' ? null : endOf(expires),
    addresses: listOf(addresses),
    tags: listOf(tags),
    budgets: budgets.length === 0 ? null : budgets.map(budgetOf),
  }
}

type Present<Fields> = { [Field in keyof Fields]?: Exclude<Fields[Field], null> }

/** The same for something new, which has no terms to remove. */
export function termsOf(values: TermsValues): Present<Changes> & { readonly name: string } {
  const { name = '', ...terms } = termsIn(values)
  const present = Object.entries(terms).filter(([, value]) => value !== null)
  return { name, ...(Object.fromEntries(present) as Present<Changes>) }
}

function choiceOf(value: boolean | undefined): Choice {
  if (value === undefined) return ''
  return value ? 'yes' : 'no'
}

function chosen(choice: Choice): boolean | null {
  return choice === '' ? null : choice === 'yes'
}

function textOf(value: number | undefined): string {
  return value === undefined ? '' : String(value)
}

function numberOf(value: string): number | null {
  return value.trim() === '' ? null : Number(value)
}

/** Null for an empty list, because an empty list would allow nothing. */
function listOf(value: string): readonly string[] | null {
  const items = value
    .split(/[\n,]/)
    .map((item) => item.trim())
    .filter((item) => item !== '')
  return items.length === 0 ? null : items
}

/** The day that ends at this time, in this browser's time zone. */
function dayOf(at: number): string {
  const date = new Date(at - 1)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

function endOf(day: string): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + 1).getTime()
}

function budgetValues(budget: Budget, row: number): BudgetValues {
  const { id, limitMicroUsd, window, timeZone, model = '', tag = '', overBudget } = budget
  return {
    row,
    ...(id !== undefined && { id }),
    usd: String(limitMicroUsd / microPerUsd),
    window: String(window),
    model,
    tag,
    over: overBudget?.route ?? '',
    ...(timeZone !== undefined && { timeZone }),
  }
}

function budgetOf({ id, usd, window, model, tag, over, timeZone }: BudgetValues): Budget {
  const hours = Number(window)
  const isCalendar = Number.isNaN(hours) && window !== 'lifetime'
  return {
    ...(id !== undefined && { id }),
    limitMicroUsd: Math.round(Number(usd) * microPerUsd),
    window: Number.isNaN(hours) ? (window as 'day') : hours,
    ...(timeZone !== undefined && isCalendar && { timeZone }),
    ...(model.trim() !== '' && { model: model.trim() }),
    ...(tag.trim() !== '' && { tag: tag.trim() }),
    ...(over.trim() !== '' && { overBudget: { route: over.trim() } }),
  }
}
