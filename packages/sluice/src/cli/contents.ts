import type { Environment } from '../config/env.ts'
import { openAdmin } from './ask-admin.ts'
import { CommandError } from './command-error.ts'

export interface ContentsOptions {
  readonly user?: string
  readonly key?: string
  readonly team?: string
  readonly from?: string
  readonly to?: string
  readonly url?: string
  readonly json?: boolean
}

interface Page {
  readonly data: readonly object[]
  readonly nextCursor: string | null
}

const pageSize = 100

/** Prints every stored prompt and response as a line of JSON per call, oldest first. */
export async function exportContents(
  environment: Environment,
  options: ContentsOptions,
  print: (line: string) => void,
): Promise<void> {
  await using admin = await openAdmin(environment, options)
  const { from = '1970-01-01', to, user, key, team } = options
  const asked = { from, to, user, key, team, limit: String(pageSize) }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(asked)) if (value !== undefined) query.set(name, value)
  for (;;) {
    const page: Page = await admin.ask(`GET /admin/v1/contents?${query.toString()}`)
    for (const content of page.data) print(JSON.stringify(content))
    if (page.nextCursor === null) return
    query.set('cursor', page.nextCursor)
  }
}

/** Deletes the prompts and responses of a user or a key; usage records are kept. */
export async function eraseContents(
  environment: Environment,
  { user, key, url, json = false }: ContentsOptions,
): Promise<string> {
  if ((user === undefined) === (key === undefined))
    throw new CommandError('Say either --user or --key')
  await using admin = await openAdmin(environment, url === undefined ? {} : { url })
  const erased: { readonly contents: number } = await admin.ask('POST /admin/v1/contents/erase', {
    ...(user !== undefined && { user }),
    ...(key !== undefined && { key }),
  })
  if (json) return JSON.stringify(erased, null, 2)
  return `Removed what ${erased.contents} calls of ${user ?? key} asked and were answered.`
}
