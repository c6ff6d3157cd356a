import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { GatewayError } from '@sluice/contract'
import type { Address, Exchange } from './address.ts'

/** What the build of the console made. In a checkout that was never built it is not there. */
const folder = new URL('../../../../dist/console/', import.meta.url)

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

/** Best first. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** Where the page's own value of each load goes, as packages/console/index.html has it. */
const noncePlace = '%NONCE%'

/**
 * Scripts and styles are the gateway's own files. Components write some styles of their own into the page, which have to know a
 * word that is another with each load.
 */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The files of the console, for anybody: what they show comes from addresses that ask for a key or a session. */
export const consoleAddresses: readonly Address[] = [
  {
    method: 'GET',
    path: '/assets/{file}',
    access: 'open',
    description: 'none',
    serve: serveAsset,
  },
]

/** Whether there is a console to show. */
export function hasConsole(): boolean {
  return existsSync(new URL('index.html', folder))
}

/** The page of the console. */
export async function sendConsole({ reply }: Pick<Exchange, 'reply'>): Promise<void> {
  const page = await readFile(new URL('index.html', folder), 'utf8')
  const nonce = randomBytes(16).toString('base64')
  void reply
    .header('content-security-policy', policyOf(nonce))
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .type('text/html; charset=utf-8')
    .send(page.replaceAll(noncePlace, nonce))
}

async function serveAsset({ parameters, reply, request }: Exchange): Promise<void> {
  const { file = '' } = parameters
  const assets = new URL('assets/', folder)
  const names = existsSync(assets) ? await readdir(assets) : []
  const type = types[extname(file)]
  if (!names.includes(file) || type === undefined)
    throw new GatewayError('unknown_url', `Unknown path: GET /assets/${file.slice(0, 200)}`)
  const accepted = request.headers['accept-encoding'] ?? ''
  const found = encodings.find(
    ([name, ending]) => new RegExp(`\\b${name}\\b`).test(accepted) && names.includes(file + ending),
  )
  // Its name holds the hash of what is in it.
  void reply
    .header('cache-control', 'public, max-age=31536000, immutable')
    .header('vary', 'accept-encoding')
    .header('x-content-type-options', 'nosniff')
    .type(type)
  if (found) void reply.header('content-encoding', found[0])
  void reply.send(await readFile(new URL(file + (found?.[1] ?? ''), assets)))
}
