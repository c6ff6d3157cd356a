import { expect } from 'vitest'
import type { OidcIssuer } from './oidc-issuer.ts'
import { PlainBrowser } from './plain-browser.ts'
import type { Started } from './start.ts'

export const ofConsole = { 'x-sluice-console': '1' }
const path = '/admin/v1/session/oidc'

type At = Pick<Started, 'url'>

/** From the button to the issuer and through its page; returns where the issuer sends the browser back to. */
export async function atIssuer(
  browser: PlainBrowser,
  gateway: At,
  login: string,
  query = '',
): Promise<string> {
  const back = `${gateway.url}${path}/callback`
  const { at, answer } = await browser.follow(`${gateway.url}${path}${query}`, back)
  if (!answer) return at
  expect(await answer.text()).toContain('name="login"')
  const sent = await browser.submit(at, { prompt: 'login', login, password: 'any' })
  const next = new URL(sent.headers.get('location') ?? '', at).href
  return (await browser.follow(next, back)).at
}

/** The whole way; returns the page of the console that it ends at: what stands behind `#`. */
export async function signInAs(
  login: string,
  gateway: At,
  { browser = new PlainBrowser(), query = '' } = {},
): Promise<{ readonly browser: PlainBrowser; readonly page: string }> {
  const back = await atIssuer(browser, gateway, login, query)
  return { browser, page: await endsAt(browser, back) }
}

/** Where the console begins after an answer of the issuer. */
export async function endsAt(browser: PlainBrowser, back: string): Promise<string> {
  const answer = await browser.open(back)
  expect(answer.status, await answer.clone().text()).toBe(303)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
  const to = new URL(answer.headers.get('location') ?? '', back)
  expect(`${to.origin}${to.pathname}${to.search}`).toBe(`${new URL(back).origin}/`)
  return to.hash.slice(1)
}

/** What went wrong, as the console is told it. */
export function problemIn(page: string): string | null {
  return new URLSearchParams(page.split('?')[1]).get('problem')
}

export interface Session {
  readonly session: {
    readonly key: { readonly id: string; readonly name: string }
    readonly role: string
    readonly adminRole: string | null
    readonly levels: readonly { readonly kind: string; readonly id: string }[]
    readonly expiresAt: number
  } | null
  readonly oidc: { readonly name: string } | null
}

export async function sessionOf(browser: PlainBrowser, gateway: At): Promise<Session> {
  const answer = await browser.open(`${gateway.url}/admin/v1/session`, { headers: ofConsole })
  expect(answer.status).toBe(200)
  return (await answer.json()) as Session
}

type Oidc = OidcIssuer['settings']

/** Groups that become each role, and a team that is called search. */
export function settingsOf({ settings }: OidcIssuer, further: Partial<Oidc> = {}) {
  return {
    console: {
      oidc: {
        ...settings,
        roles: { admins: 'owner', platform: 'operator', auditors: 'viewer' } as const,
        teamAdministrators: { leads: 'search' },
        teams: { engineers: 'search' },
        ...further,
      },
    },
  }
}

export const person = (groups: readonly string[], further: object = {}) => ({
  name: 'Ada L.',
  email: 'ada@example.com',
  email_verified: true,
  groups,
  ...further,
})

/** The status of an answer to a page of the console. */
export async function statusFor(
  browser: PlainBrowser,
  address: string,
  options: RequestInit = {},
): Promise<number> {
  const answer = await browser.open(address, { ...options, headers: ofConsole })
  await answer.body?.cancel()
  return answer.status
}
