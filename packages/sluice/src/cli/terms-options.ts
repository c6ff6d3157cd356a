import { objectOf } from '@sluice/contract'
import { type Command, InvalidArgumentError } from 'commander'
import { parseBudget } from '@sluice/gateway/accounts/budget-text.ts'
import type { Budget, Terms } from '@sluice/gateway/ports/account.ts'
import { positive } from './command.ts'

/** The terms of keys and accounts as command line options. */
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
  /** Concurrent requests. */
  readonly concurrent?: number
  readonly budget?: readonly BudgetOption[]
  readonly output?: string
  readonly inputBound?: string
  readonly contentLogging?: boolean
  /** For accounts only. */
  readonly ownKeys?: boolean
  /** Days. */
  readonly expires?: number
}

export type BudgetOption = Omit<Budget, 'id'>

const dayMs = 86_400_000

/** Adds the options of `TermsOptions` to a command. */
export function addTermsOptions(command: Command): Command {
  return command
    .option('--models <names>', 'allowed models, such as gpt-6-sol,acme/*; default all', splitList)
    .option(
      '--operations <names>',
      'allowed operations, such as chat,embed; default all',
      splitList,
    )
    .option('--addresses <blocks>', 'allowed client addresses, such as 10.0.0.0/8', splitList)
    .option('--tags <tags>', 'tags for every request', splitList)
    .option('--metadata <pairs>', 'metadata, such as cost=42,site=Bern', parsePairs)
    .option('--rate <number>', 'requests per minute', positive)
    .option('--tokens <number>', 'tokens per minute', positive)
    .option('--concurrent <number>', 'concurrent requests', positive)
    .option(
      '--budget <budget>',
      'US dollars and a period, such as 10/month, 2.5/day,model=gpt-6-sol or 1/24h,tag=nightly; with over=NAME, requests over budget go to that model; may be repeated',
      // Commander passes undefined the first time.
      (text: string, known: readonly BudgetOption[] | undefined) => [
        ...(known ?? []),
        budgetOption(text),
      ],
    )
    .option(
      '--output <policy>',
      'what budgets reserve for a response without a limit: limit, reserve or refuse',
    )
    .option('--input-bound <bound>', 'how its budgets reckon input: bytes or estimate')
    .option('--content-logging', 'store prompts and responses, masked')
    .option(
      '--no-content-logging',
      'never store prompts and responses, overriding the levels above',
    )
    .option('--expires <days>', 'days until it expires', positive)
}

/** Adds the options that only accounts have. */
export function addAccountOptions(command: Command): Command {
  return addTermsOptions(command)
    .option('--own-keys', 'let users below it create, rotate and revoke their own keys')
    .option('--no-own-keys', 'never let them, overriding the other levels')
}

/** The terms by their options. */
const termNames: Readonly<Record<keyof TermsOptions, keyof Terms>> = {
  models: 'models',
  operations: 'operations',
  addresses: 'addresses',
  tags: 'tags',
  metadata: 'metadata',
  rate: 'requestsPerMinute',
  tokens: 'tokensPerMinute',
  concurrent: 'concurrentRequests',
  budget: 'budgets',
  output: 'output',
  inputBound: 'inputBound',
  contentLogging: 'contentLogging',
  ownKeys: 'ownKeys',
  expires: 'expiresAt',
}

/** The terms in the form of the administration API, which validates them: operations and other names are unchecked here. */
export function termsOf(options: TermsOptions, now: number): Partial<Terms> {
  const { expires } = options
  const given = { ...options, ...(expires !== undefined && { expires: now + expires * dayMs }) }
  return Object.fromEntries(
    Object.entries(termNames).flatMap(([option, term]) => {
      const value = objectOf(given)[option]
      return value === undefined ? [] : [[term, value]]
    }),
  )
}

/** Parses `10/month` or `1/24h,tag=nightly`. Throws InvalidArgumentError for anything else. */
export function budgetOption(text: string): BudgetOption {
  const budget = parseBudget(text)
  if (!budget)
    throw new InvalidArgumentError('It must be such as 10/month, 1/24h or 2.5/day,model=gpt-6-sol.')
  return budget
}

/** Terms to remove, in the form of the administration API. */
export function clearedTerms(names: readonly string[] = []): Readonly<Record<string, null>> {
  const terms: Readonly<Record<string, string>> = { ...termNames, owner: 'ownerId' }
  return Object.fromEntries(names.map((name) => [terms[name] ?? name, null]))
}

function parsePairs(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => /^\s*([^=]+)=(.*)$/.exec(pair))
  if (pairs.includes(null)) throw new InvalidArgumentError('It must be such as cost=42,site=Bern.')
  return Object.fromEntries(pairs.map((pair) => [pair?.[1], pair?.[2]]))
}

/** Splits `a,b` into a list. */
export function splitList(text: string): readonly string[] {
  return text.split(',').map((part) => part.trim())
}
