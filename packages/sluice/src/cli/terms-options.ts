import { type Command, InvalidArgumentError } from 'commander'
import { parseBudget } from '../accounts/budget-text.ts'
import type { Budget, Terms } from '../ports/account.ts'

/** What every level may carry, as the command line says it. */
export interface TermsOptions {
  readonly models?: readonly string[]
  readonly operations?: readonly string[]
  readonly addresses?: readonly string[]
  readonly tags?: readonly string[]
  readonly metadata?: Readonly<Record<string, string>>
  /** Requests per minute. */
  readonly rate?: number
  /** Per minute. */
  readonly tokens?: number
  /** At the same time. */
  readonly concurrent?: number
  readonly budget?: readonly BudgetOption[]
  readonly contentLogging?: boolean
  /** Of accounts alone. */
  readonly ownKeys?: boolean
  /** Days. */
  readonly expires?: number
}

export type BudgetOption = Omit<Budget, 'id'>

const dayMs = 86_400_000

/** Adds the options of `TermsOptions` to a command. */
export function addTermsOptions(command: Command): Command {
  return command
    .option(
      '--models <names>',
      'models that may be used, such as gpt-4o,acme/*; default all',
      splitList,
    )
    .option(
      '--operations <names>',
      'operations that may be used, such as chat,embed; default all',
      splitList,
    )
    .option('--addresses <blocks>', 'where requests may come from, such as 10.0.0.0/8', splitList)
    .option('--tags <tags>', 'tags of every call', splitList)
    .option('--metadata <pairs>', 'what is kept beside it, such as cost=42,site=Bern', parsePairs)
    .option('--rate <number>', 'requests per minute', positive)
    .option('--tokens <number>', 'tokens per minute', positive)
    .option('--concurrent <number>', 'requests at the same time', positive)
    .option(
      '--budget <budget>',
      'US dollars and a window, such as 10/month, 2.5/day,model=gpt-4o or 1/24h,tag=nightly; with over=NAME calls beyond it go to that model; may be repeated',
      // Commander has nothing before the first.
      (text: string, known: readonly BudgetOption[] | undefined) => [
        ...(known ?? []),
        budgetOption(text),
      ],
    )
    .option('--content-logging', 'keep prompts and answers, masked')
    .option('--no-content-logging', 'never keep prompts and answers, whatever the levels above say')
    .option('--expires <days>', 'days until it expires', positive)
}

/** Adds what accounts carry besides. */
export function addAccountOptions(command: Command): Command {
  return addTermsOptions(command)
    .option('--own-keys', 'let users below make, rotate and revoke keys of their own')
    .option('--no-own-keys', 'never let them, whatever the other levels say')
}

/** As the administration takes them. */
export function termsOf(options: TermsOptions, now: number): Partial<Terms> {
  const { rate, tokens, concurrent, budget, expires, contentLogging, ownKeys } = options
  const { models, operations, addresses, tags, metadata } = options
  const terms = {
    models,
    operations,
    addresses,
    tags,
    metadata,
    requestsPerMinute: rate,
    tokensPerMinute: tokens,
    concurrentRequests: concurrent,
    budgets: budget,
    contentLogging,
    ownKeys,
    expiresAt: expires === undefined ? undefined : now + expires * dayMs,
  }
  // The administration checks them: names of operations and the like are the caller's own words here.
  return Object.fromEntries(
    Object.entries(terms).filter(([, value]) => value !== undefined),
  ) as Partial<Terms>
}

/** `10/month`, `1/24h,tag=nightly`. Throws InvalidArgumentError where it is something else. */
export function budgetOption(text: string): BudgetOption {
  const budget = parseBudget(text)
  if (!budget)
    throw new InvalidArgumentError('It must be such as 10/month, 1/24h or 2.5/day,model=gpt-4o.')
  return budget
}

/** What terms are called in options, beside their own names. */
const optionTerms: Readonly<Record<string, string>> = {
  rate: 'requestsPerMinute',
  tokens: 'tokensPerMinute',
  concurrent: 'concurrentRequests',
  budget: 'budgets',
  expires: 'expiresAt',
  owner: 'ownerId',
}

/** Terms that are taken away, as the administration takes them. */
export function clearedTerms(names: readonly string[] = []): Readonly<Record<string, null>> {
  return Object.fromEntries(names.map((name) => [optionTerms[name] ?? name, null]))
}

function parsePairs(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => /^\s*([^=]+)=(.*)$/.exec(pair))
  if (pairs.includes(null)) throw new InvalidArgumentError('It must be such as cost=42,site=Bern.')
  return Object.fromEntries(pairs.map((pair) => [pair?.[1], pair?.[2]]))
}

/** `a,b` as a list. */
export function splitList(text: string): readonly string[] {
  return text.split(',').map((part) => part.trim())
}

/** A whole number from 1 up. */
export function positive(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError('It must be a positive integer.')
  return number
}
