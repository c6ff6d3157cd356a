import { GatewayError, invalidRequest } from '@sluice/contract'
import { assertAddress } from '@sluice/gateway/accounts/allowed.ts'
import { administer } from '@sluice/gateway/accounts/administer.ts'
import type { SignedIn } from './sign-in/sessions.ts'
import { signedIn } from './sign-in/sign-in.ts'
import { mayOwnKeys } from '@sluice/gateway/accounts/own-keys.ts'
import { hashSecret } from '@sluice/gateway/accounts/secrets.ts'
import { programVersion } from '@sluice/gateway/settings/version.ts'
import type { Address, Exchange } from './address.ts'
import { parseJsonObject, readBody } from './body.ts'
import { clientAddress } from './client-address.ts'
import { limitsOf } from './inference.ts'
import { publicAddress } from './public-address.ts'
import { answer, object, text } from './openapi-written.ts'
import {
  assertOwnPage,
  idTokenCookie,
  idTokenOf,
  isSecure,
  sessionCookie,
  sessionTokenOf,
} from './session-cookie.ts'

const path = '/admin/v1/session'

const sessionSchema = {
  ...object({
    key: object({ id: text, name: text, prefix: text }),
    role: { enum: ['caller', 'administrator'] },
    adminRole: { enum: ['owner', 'operator', 'viewer', 'team', null] },
    levels: {
      type: 'array',
      description: 'The key and what it belongs to, the nearest first.',
      items: object({
        kind: { enum: ['key', 'user', 'team', 'organization'] },
        id: text,
        name: text,
      }),
    },
    ownKeys: {
      type: 'boolean',
      description: 'Whether whoever is signed in makes and changes keys of their own.',
    },
    expiresAt: { type: 'integer', description: 'Milliseconds since the epoch.' },
  }),
  type: ['object', 'null'],
  description: 'Who is signed in; null where nobody is.',
}

const oidcSchema = {
  ...object({ name: text }),
  type: ['object', 'null'],
  description: 'What the button to sign in by OpenID Connect says; null where it is not set up.',
}

const state = { version: text, session: sessionSchema, oidc: oidcSchema }
const reply = answer(object(state))
const outReply = answer(
  object({
    ...state,
    endSessionUrl: {
      type: ['string', 'null'],
      description: 'The page of the OpenID Connect issuer where signing out goes on, if any.',
    },
  }),
)

const of = { path, access: 'open' } as const

/** Console sign-in: the browser gets a cookie that replaces the key. */
export const sessionAddresses: readonly Address[] = [
  {
    ...of,
    method: 'GET',
    description: {
      operationId: 'getSession',
      summary: 'Get who is signed in with this browser',
      tags: ['Session'],
      reply,
      failures: ['403', '500', '503'],
    },
    serve: serveSession,
  },
  {
    ...of,
    method: 'POST',
    description: {
      operationId: 'signIn',
      summary: 'Sign in with a key; the answer sets a cookie that stands for it',
      tags: ['Session'],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: object({ key: { ...text, description: 'The secret of a key.' } }),
            example: { key: 'sk-0123456789abcdef' },
          },
        },
      },
      reply,
      failures: ['401', '403', '413', '429', '500', '503'],
    },
    serve: signIn,
  },
  {
    ...of,
    method: 'DELETE',
    description: {
      operationId: 'signOut',
      summary: 'Sign out: the session ends on every replica',
      tags: ['Session'],
      reply: outReply,
      failures: ['403', '500', '503'],
    },
    serve: signOut,
  },
]

async function serveSession(exchange: Exchange): Promise<void> {
  const token = sessionTokenOf(exchange.request, exchange.options)
  if (token === undefined) return say(exchange, undefined)
  assertOwnPage(exchange.request, exchange.options)
  say(exchange, await exchange.gateway.sessions.find(token))
}

async function signIn(exchange: Exchange): Promise<void> {
  const { gateway, options, request, reply: answered } = exchange
  const address = clientAddress(request, options.trustedProxies)
  await gateway.signInAttempts.count(address ?? '', gateway.now())
  assertOwnPage(request, options)
  const raw = await readBody(request.raw, limitsOf(exchange))
  const { key } = await parseJsonObject(raw, request.headers['content-type'], options.bodyUnitsMax)
  if (typeof key !== 'string') throw invalidRequest("'key' must be a string", 'key')
  const secret = key.trim()
  const caller = gateway.keys.find(secret) ?? (await gateway.keys.lookUp(secret, address ?? ''))
  if (!caller) throw new GatewayError('unauthenticated', 'The key is not valid', { param: 'key' })
  assertAddress(caller, address)
  const { token, expiresAt } = await gateway.sessions.open({ keyHash: hashSecret(secret) })
  const at = gateway.now()
  const place = { store: gateway.store, at, hasFixedOwner: gateway.keys.hasFixedOwner() }
  await administer({ ...place, actor: caller.id }, signedIn(caller, 'key'))
  gateway.signInAttempts.succeeded(address ?? '')
  const secure = isSecure(request, options)
  const seconds = Math.round((expiresAt - at) / 1000)
  void answered.header('set-cookie', sessionCookie(token, secure, seconds))
  say(exchange, { caller, expiresAt })
}

async function signOut(exchange: Exchange): Promise<void> {
  const { gateway, options, request, reply: answered } = exchange
  const token = sessionTokenOf(request, options)
  let issuer: string | undefined
  if (token !== undefined) {
    assertOwnPage(request, options)
    issuer = (await gateway.sessions.find(token))?.issuer
    await gateway.sessions.close(token)
  }
  const [address, secure] = [publicAddress(exchange), isSecure(request, options)]
  void answered.header('set-cookie', sessionCookie('', secure, 0))
  void answered.header('set-cookie', idTokenCookie({ idToken: '', seconds: 0 }, address, secure))
  const url =
    issuer === undefined
      ? undefined
      : await gateway.oidc.endSessionUrl(`${address}/`, idTokenOf(request, secure))
  say(exchange, undefined, { endSessionUrl: url ?? null })
}

function say(
  { gateway, reply: answered }: Exchange,
  found: SignedIn | undefined,
  further: { readonly endSessionUrl?: string | null } = {},
): void {
  const { oidc } = gateway.settings.config().console
  void answered.header('cache-control', 'no-store').send({
    version: programVersion(),
    session: found ? shown(found) : null,
    oidc: oidc ? { name: oidc.name ?? 'single sign-on' } : null,
    ...further,
  })
}

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
