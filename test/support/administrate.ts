import { expect } from 'vitest'
import { adminKey, type Started } from './start.ts'

/** A response of the administration API; the fields that are present depend on the operation. */
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

/** Calls the administration API, as its owner unless another key is given. */
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

/** Like `asked`, but the request must succeed; returns the response body. */
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
