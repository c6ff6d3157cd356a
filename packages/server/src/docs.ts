import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Address } from './address.ts'
import { type EndpointDescription, success } from './openapi-endpoint.ts'
import { anyObject } from './shapes.ts'

interface Asset {
  readonly type: string
  readonly tag: string
  readonly plain: Buffer
  readonly zipped: Buffer
}

/** The page may only load resources of this server. Swagger UI uses style attributes and icons in data: URLs. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Sluice API reference</title>
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="icon" type="image/png" sizes="32x32" href="docs/favicon-32x32.png">
  </head>
  <body>
    <nav style="padding: 12px 20px; font: 16px system-ui, sans-serif"><a href="./">Back to the console</a></nav>
    <div id="reference"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`

// `validatorUrl: null` keeps Swagger UI from sending the document's URL to a public validator.
const start = `SwaggerUIBundle({
  url: 'docs/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: true,
  tryItOutEnabled: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
})
`

const javascript = 'text/javascript; charset=utf-8'

/** Written as literals because the bundler recognizes these forms and includes the files. */
const packaged = [
  [
    'swagger-ui.css',
    'text/css; charset=utf-8',
    import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
  ],
  ['swagger-ui-bundle.js', javascript, import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')],
  ['favicon-32x32.png', 'image/png', import.meta.resolve('swagger-ui-dist/favicon-32x32.png')],
] as const
const document: EndpointDescription = {
  operationId: 'getOpenApi',
  summary: 'Get this OpenAPI document',
  tag: 'Operation',
  responses: success({ 'application/json': { schema: anyObject } }, 'An OpenAPI 3.1 document.'),
}

const settings: EndpointDescription = {
  operationId: 'getConfigSchema',
  summary: 'Get the JSON Schema of sluice.yaml',
  tag: 'Operation',
  responses: success(
    { 'application/schema+json': { schema: anyObject } },
    'A JSON Schema, draft 2020-12.',
  ),
}
const schemaFile = new URL('../../../sluice.schema.json', import.meta.url)

/**
 * /docs, /openapi.json and /sluice.schema.json: public, and without resources of other servers. `openApi` is called once, on
 * the first request.
 */
export function documentAddresses(
  openApi: () => object,
  usualOpenApi: () => object,
): readonly Address[] {
  return [
    { method: 'GET', path: '/docs', access: 'open', description: 'none', serve: servePage },
    served('/docs/start.js', 'none', async () => asset(javascript, Buffer.from(start))),
    ...packaged.map(([name, type, file]) =>
      served(`/docs/${name}`, 'none', async () => asset(type, await readFile(new URL(file)))),
    ),
    served('/openapi.json', document, () => documentOf(openApi())),
    // The page shows each operation at its usual address.
    served('/docs/openapi.json', 'none', () => documentOf(usualOpenApi())),
    served('/sluice.schema.json', settings, async () =>
      asset('application/schema+json', await readFile(schemaFile)),
    ),
  ]
}

function documentOf(openApi: object): Promise<Asset> {
  const text = JSON.stringify(openApi, null, 2)
  return asset('application/json; charset=utf-8', Buffer.from(`${text}\n`))
}

async function servePage({ request, reply }: { request: FastifyRequest; reply: FastifyReply }) {
  // Relative links also work behind a proxy that adds a path prefix.
  if (/^\/docs\/(?:\?|$)/.test(request.url)) return reply.redirect('../docs', 308)
  return reply
    .header('content-security-policy', contentSecurityPolicy)
    .header('x-content-type-options', 'nosniff')
    .type('text/html; charset=utf-8')
    .send(page)
}

function served(
  path: string,
  description: Address['description'],
  make: () => Promise<Asset>,
): Address {
  const made = remember(make)
  return {
    method: 'GET',
    path,
    access: 'open',
    description,
    serve: async ({ request, reply }) => send(request, reply, await made()),
  }
}

async function asset(type: string, plain: Buffer): Promise<Asset> {
  return {
    type,
    tag: `"${hash('sha256', plain, 'hex').slice(0, 32)}"`,
    plain,
    zipped: await promisify(gzip)(plain),
  }
}

function send(request: FastifyRequest, reply: FastifyReply, { type, tag, plain, zipped }: Asset) {
  reply.headers({
    etag: tag,
    'cache-control': 'no-cache',
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
  })
  if (request.headers['if-none-match'] === tag) return reply.code(304).send()
  const zip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  return zip
    ? reply.type(type).header('content-encoding', 'gzip').send(zipped)
    : reply.type(type).send(plain)
}

/** Calls `make` on first use, and again only after a failure. */
function remember<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
