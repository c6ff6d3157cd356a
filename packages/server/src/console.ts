import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { GatewayError } from '@sluice/contract'
import type { Address, Exchange } from './address.ts'

/** The output of the console's build. Missing in a checkout that was never built. */
const folder = new URL('../../../dist/console/', import.meta.url)

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

/** In order of preference. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** The placeholder for the nonce in packages/console/index.html. */
const noncePlace = '%NONCE%'

/**
 * Scripts and styles are the gateway's own files. Components also insert styles into the page, which need a nonce that changes
 * with every load.
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

/** The console's static files are public. The data they show requires a key or a session. */
export const consoleAddresses: readonly Address[] = [
  {
    method: 'GET',
    path: '/assets/{file}',
    access: 'open',
    description: 'none',
    serve: serveAsset,
  },
]

/** Whether the console was built. */
export function hasConsole(): boolean {
  return existsSync(new URL('index.html', folder))
}

/** Sends the page of the console. */
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
  // The file name contains a hash of the content.
  void reply
    .header('cache-control', 'public, max-age=31536000, immutable')
    .header('vary', 'accept-encoding')
    .header('x-content-type-options', 'nosniff')
    .type(type)
  if (found) void reply.header('content-encoding', found[0])
  void reply.send(await readFile(new URL(file + (found?.[1] ?? ''), assets)))
}
