import { expect } from 'vitest'
import { adminKey, type Started } from './start.ts'

/** An answer of the administration; what it holds depends on what was asked. */
export interface Administered {
  readonly status: number
  readonly body: {
    readonly id: string
    readonly secret: string
    readonly data: readonly { readonly id: string; readonly [field: string]: unknown }[]
    readonly has_more: boolean
    readonly last_id: string
    readonly error: {
      readonly message: string
      readonly param: string | null
      readonly type: string
    }
    readonly [field: string]: unknown
  }
}

/** Asks the administration, as its owner unless another key is given. */
export async function asked(
  gateway: Started,
  address: string,
  body?: object,
  key = adminKey,
): Promise<Administered> {
  const [method = '', path = ''] = address.split(' ')
  const response = await gateway.request(path, {
    method,
    key,
    ...(body && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  return { status: response.status, body: (await response.json()) as Administered['body'] }
}

/** The same where it has to be granted; returns what came. */
export async function granted(
  gateway: Started,
  address: string,
  body?: object,
  key = adminKey,
): Promise<Administered['body']> {
  const answer = await asked(gateway, address, body, key)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}
