import type { Environment } from '../config/env.ts'
import { contentEndpoints } from '@sluice/server/admin/contents.ts'
import { openAdmin } from './ask-admin.ts'
import type { GatewayOptions } from './command.ts'
import { CommandError } from './command-error.ts'

export interface ContentsOptions extends GatewayOptions {
  readonly user?: string
  readonly key?: string
  readonly team?: string
  readonly from?: string
  readonly to?: string
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
  const asked = { from, to, user, key, team, limit: pageSize }
  for (let cursor: string | undefined; ; ) {
    const { data, nextCursor } = await admin.ask(contentEndpoints.list, {
      query: { ...asked, cursor },
    })
    for (const content of data) print(JSON.stringify(content))
    if (nextCursor === null) return
    cursor = nextCursor
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
  const body = { ...(user !== undefined && { user }), ...(key !== undefined && { key }) }
  const erased = await admin.ask(contentEndpoints.erase, { body })
  if (json) return JSON.stringify(erased, null, 2)
  return `Removed the prompts and responses of ${erased.contents} requests, and ${erased.stored} stored responses and conversations, of ${user ?? key}.`
}
