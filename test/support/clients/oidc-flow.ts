import { expect } from 'vitest'
import type { OidcIssuer } from '../servers/oidc-issuer.ts'
import type { Started } from '../start.ts'
import { PlainBrowser } from './plain-browser.ts'

export const ofConsole = { 'x-sluice-console': '1' }
const path = '/admin/v1/session/oidc'

type At = Pick<Started, 'url'>

/**
 * Follows the sign-in button to the issuer and through its page; returns the address to which the issuer sends the browser
 * back.
 */
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

/** The whole sign-in; returns the part after `#` of the console's address at the end. */
export async function signInAs(
  login: string,
  gateway: At,
  { browser = new PlainBrowser(), query = '' } = {},
): Promise<{ readonly browser: PlainBrowser; readonly page: string }> {
  const back = await atIssuer(browser, gateway, login, query)
  return { browser, page: await endsAt(browser, back) }
}

/** The console's address after a response of the issuer. */
export async function endsAt(browser: PlainBrowser, back: string): Promise<string> {
  const answer = await browser.open(back)
  expect(answer.status, await answer.clone().text()).toBe(303)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
  const to = new URL(answer.headers.get('location') ?? '', back)
  expect(`${to.origin}${to.pathname}${to.search}`).toBe(`${new URL(back).origin}/`)
  return to.hash.slice(1)
}

/** The error that is reported to the console. */
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

/** Settings that map groups to each role, and a team called search. */
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

/** The status of the response to a request for a page of the console. */
export async function statusFor(
  browser: PlainBrowser,
  address: string,
  options: RequestInit = {},
): Promise<number> {
  const answer = await browser.open(address, { ...options, headers: ofConsole })
  await answer.body?.cancel()
  return answer.status
}
