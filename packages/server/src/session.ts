import { GatewayError, invalidRequest, Type } from '@sluice/contract'
import { assertAddress } from '@sluice/gateway/accounts/allowed.ts'
import { administer } from '@sluice/gateway/accounts/administer.ts'
import type { SignedIn } from './sign-in/sessions.ts'
import { signedIn } from './sign-in/sign-in.ts'
import { mayOwnKeys } from '@sluice/gateway/accounts/own-keys.ts'
import { programVersion } from '@sluice/gateway/settings/version.ts'
import type { Exchange } from './address.ts'
import { clientAddress } from './authenticate.ts'
import { addressOf, endpoint } from './endpoint.ts'
import { isSecure } from './public-address.ts'
import {
  assertOwnPage,
  idTokenCookie,
  idTokenOf,
  sessionCookie,
  sessionTokenOf,
} from './session-cookie.ts'
import { described, flag, integer, list, object, text, textOrNull, words } from './shapes.ts'

const sessionSchema = Type.Unsafe<Shown | null>({
  ...object({
    key: object({ id: text, name: text, prefix: text }),
    role: words(['caller', 'administrator']),
    adminRole: words(['owner', 'operator', 'viewer', 'team', null]),
    levels: list(
      object({ kind: words(['key', 'user', 'team', 'organization']), id: text, name: text }),
      'The key and what it belongs to, the nearest first.',
    ),
    ownKeys: described(flag, 'Whether whoever is signed in makes and changes keys of their own.'),
    expiresAt: described(integer, 'Milliseconds since the epoch.'),
  }),
  type: ['object', 'null'],
  description: 'Who is signed in; null if nobody is.',
})

const oidcSchema = Type.Unsafe<{ readonly name: string } | null>({
  ...object({ name: text }),
  type: ['object', 'null'],
  description: 'The label of the button for OpenID Connect; null if it is not configured.',
})

const state = { version: text, session: sessionSchema, oidc: oidcSchema }

const facts = {
  path: '/admin/v1/session',
  access: 'open',
  tag: 'Session',
} as const

/** Console sign-in: the browser gets a cookie that replaces the key. */
const endpoints = [
  endpoint({
    ...facts,
    method: 'GET',
    operationId: 'getSession',
    summary: 'Get who is signed in with this browser',
    reply: object(state),
    failures: ['403', '500', '503'],
    async answer(_, exchange) {
      const token = sessionTokenOf(exchange.request, exchange.options)
      if (token === undefined) return stateOf(exchange, undefined)
      assertOwnPage(exchange.request, exchange.options)
      return stateOf(exchange, await exchange.gateway.sessions.find(token))
    },
  }),
  endpoint({
    ...facts,
    method: 'POST',
    operationId: 'signIn',
    summary: 'Sign in with a key; the response sets a session cookie',
    body: Type.Unsafe<Readonly<Record<string, unknown>>>(
      object({ key: described(text, 'The secret of a key.') }),
    ),
    checksBody: true,
    example: { key: 'sk-0123456789abcdef' },
    reply: object(state),
    failures: ['401', '403', '413', '429', '500', '503'],
    async enter({ gateway, options, request }) {
      const address = clientAddress(request, options.trustedProxies)
      await gateway.signInAttempts.count(address ?? '', gateway.now())
      assertOwnPage(request, options)
    },
    answer: ({ body }, exchange) => signIn(body['key'], exchange),
  }),
  endpoint({
    ...facts,
    method: 'DELETE',
    operationId: 'signOut',
    summary: 'Sign out: the session ends on every replica',
    reply: object({
      ...state,
      endSessionUrl: described(
        textOrNull,
        'The page of the OpenID Connect issuer where signing out goes on, if any.',
      ),
    }),
    failures: ['403', '500', '503'],
    answer: (_, exchange) => signOut(exchange),
  }),
]

export const sessionAddresses = endpoints.map(addressOf)

async function signIn(key: unknown, exchange: Exchange) {
  const { gateway, options, request, reply } = exchange
  const address = clientAddress(request, options.trustedProxies)
  if (typeof key !== 'string') throw invalidRequest("'key' must be a string", 'key')
  const secret = key.trim()
  const caller = gateway.keys.find(secret) ?? (await gateway.keys.lookUp(secret, address ?? ''))
  if (!caller) throw new GatewayError('unauthenticated', 'The key is not valid', { param: 'key' })
  assertAddress(caller, address)
  const { token, expiresAt } = await gateway.sessions.open({
    keyHash: gateway.keys.hashNameOf(secret),
  })
  const at = gateway.now()
  const place = { store: gateway.store, at, hasFixedOwner: gateway.keys.hasFixedOwner() }
  await administer({ ...place, actor: caller.id }, signedIn(caller, 'key'))
  gateway.signInAttempts.succeeded(address ?? '')
  const secure = isSecure(request, options)
  const seconds = Math.round((expiresAt - at) / 1000)
  void reply.header('set-cookie', sessionCookie(token, secure, seconds))
  return stateOf(exchange, { caller, expiresAt })
}

async function signOut(exchange: Exchange) {
  const { gateway, options, request, reply } = exchange
  const token = sessionTokenOf(request, options)
  let issuer: string | undefined
  if (token !== undefined) {
    assertOwnPage(request, options)
    issuer = (await gateway.sessions.find(token))?.issuer
    await gateway.sessions.close(token)
  }
  const [address, secure] = [request.publicAddress, isSecure(request, options)]
  void reply.header('set-cookie', sessionCookie('', secure, 0))
  void reply.header('set-cookie', idTokenCookie({ idToken: '', seconds: 0 }, address, secure))
  const url =
    issuer === undefined
      ? undefined
      : await gateway.oidc.endSessionUrl(`${address}/`, idTokenOf(request, secure))
  return { ...stateOf(exchange, undefined), endSessionUrl: url ?? null }
}

function stateOf({ gateway, reply }: Exchange, found: SignedIn | undefined) {
  const { oidc } = gateway.settings.config().console
  void reply.header('cache-control', 'no-store')
  return {
    version: programVersion(),
    session: found ? shown(found) : null,
    oidc: oidc ? { name: oidc.name ?? 'single sign-on' } : null,
  }
}

type Shown = ReturnType<typeof shown>

function shown({ caller, expiresAt }: SignedIn) {
  const { id, name, prefix, role, adminRole = 'owner', holders } = caller
  return {
    key: { id, name, prefix },
    role,
    adminRole: role === 'administrator' ? adminRole : null,
    levels: holders.map((holder) => ({ kind: holder.kind, id: holder.id, name: holder.name })),
    ownKeys: mayOwnKeys(caller),
    expiresAt,
  }
}
