import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { programVersion } from '@sluice/gateway/settings/version.ts'
import type { Gateway } from './gateway.ts'
import type { Exchange } from './address.ts'
import { hasConsole, sendConsole } from './console.ts'
import { endpoint } from './endpoint.ts'
import { assertReady } from './health.ts'
import { success } from './openapi-endpoint.ts'
import { byName, object, text, words } from './shapes.ts'

/** The content of the status page and its JSON form. The page is public, so it names no provider or folder. */
interface Facts {
  readonly version: string
  readonly isReady: boolean
  /** The gateway's address as the caller sees it. */
  readonly address: string
  /** A model of the built-in engine, or a placeholder if the engine is off. */
  readonly model: string
}

/** `/`: the console for browsers, if it was built; otherwise a status page or its JSON form. */
export const getStatus = endpoint({
  method: 'GET',
  path: '/',
  access: 'open',
  operationId: 'getStatus',
  summary: 'Status page, in JSON for programs that accept only JSON',
  tag: 'Operation',
  responses: success({
    'text/html': { schema: text },
    'application/json': {
      schema: object({
        name: text,
        description: text,
        version: text,
        status: words(['ready', 'not ready']),
        links: byName(text),
      }),
    },
  }),
  send: (_, exchange) => sendHome(exchange),
})

async function sendHome(exchange: Exchange): Promise<void> {
  const { request, reply, gateway } = exchange
  reply
    .header('vary', 'accept')
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
  if (wantsPage(request) && hasConsole()) {
    await sendConsole(exchange)
    return
  }
  const facts: Facts = {
    version: programVersion(),
    isReady: await assertReady(gateway).then(
      () => true,
      () => false,
    ),
    address: request.publicAddress,
    model: modelOf(gateway),
  }
  if (wantsJson(request)) {
    reply.send(asJson(facts))
    return
  }
  reply
    .header('content-security-policy', contentSecurityPolicy)
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(page(facts))
}

function modelOf(gateway: Gateway): string {
  return gateway.current.routing.builtinModels[0] ?? 'MODEL'
}

/** Browsers accept text/html and get the console. */
function wantsPage({ headers }: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '')
}

/** Programs that accept JSON and not HTML get JSON. */
function wantsJson(request: FastifyRequest): boolean {
  const accepted = request.headers.accept ?? ''
  return /\bapplication\/(?:[\w.-]+\+)?json\b/i.test(accepted) && !wantsPage(request)
}

function asJson({ version, isReady, address }: Facts): object {
  return {
    name: 'sluice',
    description,
    version,
    status: isReady ? 'ready' : 'not ready',
    links: {
      reference: `${address}/docs`,
      openapi: `${address}/openapi.json`,
      models: `${address}/v1/models`,
      health: `${address}/healthz`,
      readiness: `${address}/readyz`,
    },
  }
}

const description = 'A self-hosted model gateway: one address in front of every model.'

/** Embedded in the page, so that nothing else is loaded. */
const icon = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6e8f"/><path d="M5 12q5.500-4 11 0t11 0M5 20q5.500-4 11 0t11 0" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>`)}`

const style = `
:root { color-scheme: light dark; --ink: #1b2328; --quiet: #55626b; --paper: #f6f8f9; --card: #fff; --line: #d5dde2; --link: #0b6e8f; --good: #1b7a3d; --bad: #b3261e }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7edf1; --quiet: #9fadb7; --paper: #12181c; --card: #1b2328; --line: #33404a; --link: #6cc7e6; --good: #6fce8f; --bad: #ff8a80 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 44rem; margin: 0 auto; padding: 2.5rem 1.25rem }
header { display: flex; align-items: center; gap: .75rem }
header img { width: 2.5rem; height: 2.5rem }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2 }
h2 { margin: 0 0 .5rem; font-size: 1.05rem }
p { margin: .5rem 0 }
section { margin-top: 1.25rem; padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.25rem; margin: 0 }
dt { color: var(--quiet) }
dd { margin: 0; overflow-wrap: anywhere }
.ready { color: var(--good); font-weight: 600 }
.not-ready { color: var(--bad); font-weight: 600 }
ul { margin: 0; padding-left: 1.2rem }
a { color: var(--link) }
a:focus-visible, pre:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
code, pre { font-family: ui-monospace, monospace; font-size: .85rem }
pre { margin: .5rem 0 0; padding: .75rem; background: var(--paper); border: 1px solid var(--line); border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere }
.quiet { color: var(--quiet) }
`

/** The page runs no script, sends no form and loads nothing. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Relative links also work behind a proxy that adds a path prefix. */
function page({ version, isReady, address, model }: Facts): string {
  const status = isReady
    ? '<dd class="ready">Ready</dd>'
    : '<dd class="not-ready">Not ready: data cannot be stored</dd>'
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Sluice</title>
    <link rel="icon" type="image/svg+xml" href="${icon}">
    <style>${style}</style>
  </head>
  <body>
    <main>
      <header><img src="${icon}" alt=""><h1>Sluice</h1></header>
      <p class="quiet">${description}</p>
      <section aria-labelledby="state">
        <h2 id="state">This gateway</h2>
        <dl>
          <dt>Status</dt>${status}
          <dt>Version</dt><dd>${escape(version)}</dd>
          <dt>Address</dt><dd><code>${escape(address)}</code></dd>
        </dl>
      </section>
      <section aria-labelledby="call">
        <h2 id="call">Call a model</h2>
        <p>Every call needs an API key. The first start keeps one in <code>initial-keys.json</code> in the data folder;
        <code>sluice keys create --name app</code> makes another.</p>
        <pre tabindex="0"><code>export SLUICE_KEY=sk-…
${escape(curl(address, model))}</code></pre>
      </section>
      <section aria-labelledby="further">
        <h2 id="further">Read on</h2>
        <ul>
          <li><a href="docs">API reference</a>, with requests to try</li>
          <li><a href="openapi.json">OpenAPI document</a></li>
          <li><a href="sluice.schema.json">JSON Schema of sluice.yaml</a></li>
          <li><a href="healthz">Health</a> and <a href="readyz">readiness</a></li>
        </ul>
      </section>
    </main>
  </body>
</html>
`
}

function curl(address: string, model: string): string {
  const body = JSON.stringify({
    model,
    messages: [{ role: 'user', content: 'What is 6 times 7?' }],
  })
  return [
    `curl -s ${address}/v1/chat/completions \\`,
    `  -H "Authorization: Bearer $SLUICE_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${body}'`,
  ].join('\n')
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => escapes[character] ?? '')
}
