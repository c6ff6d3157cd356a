/** More than any run uses. */
const microUsd = 1e15
const requestsPerMinute = 100_000_000
const tokensPerMinute = 2_000_000_000

/**
 * Creates a team with a monthly budget and a key of it with a daily one and a token rate, so that every call reserves money and
 * tokens on two levels. Returns the key. Throws if the gateway refuses.
 */
export async function createBudgetedKey(port: number, adminKey: string): Promise<string> {
  const create = async (kind: 'teams' | 'keys', body: object) => {
    const response = await fetch(`http://127.0.0.1:${port}/admin/v1/${kind}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok)
      throw new Error(`The gateway creates no ${kind}: ${response.status} ${await response.text()}`)
    // Documented in the gateway's OpenAPI document.
    return (await response.json()) as { readonly id: string; readonly secret: string }
  }
  const team = await create('teams', {
    name: 'bench',
    budgets: [{ limitMicroUsd: microUsd, window: 'month' }],
  })
  const key = await create('keys', {
    name: 'bench',
    ownerId: team.id,
    requestsPerMinute,
    tokensPerMinute,
    budgets: [{ limitMicroUsd: microUsd, window: 'day' }],
  })
  return key.secret
}
