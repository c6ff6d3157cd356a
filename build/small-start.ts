import { readFileSync } from 'node:fs'
import type { Plugin } from 'rolldown'

/** What stands in a bundle instead of a module of a library, by the end of its path. */
const trimmed: Readonly<Record<string, string>> = {
  // Of undici only what sends requests: fetch, WebSockets, caches and mocks are most of it.
  'undici/index.js': `
    const Dispatcher = require('./lib/dispatcher/dispatcher')
    Object.assign(Dispatcher.prototype, {
      request: require('./lib/api/api-request'),
      connect: require('./lib/api/api-connect'),
    })
    exports.Agent = require('./lib/dispatcher/agent')
    exports.ProxyAgent = require('./lib/dispatcher/proxy-agent')
    exports.buildConnector = require('./lib/core/connect')`,
  // Loaded with the first connection that speaks HTTP/2, because Node's HTTP/2 alone takes 10 MB.
  'undici/lib/dispatcher/client-h2.js': `
    module.exports = (...given) => require('./client-h2.js?whole')(...given)`,
}

/** Marks a module as it is, which another one stands for. */
const whole = '?whole'

/**
 * Modules of Node's that libraries name and a start does not need; and `node:http`, whose exports an ES import would take all
 * at once, with a second undici for its WebSocket.
 */
const late = ['node:http', 'node:https', 'node:http2']

const lateId = '\0late:'

/**
 * Leaves out of the bundle, or puts off until it is used, what would make every start slower and every idle gateway larger.
 */
export function smallStart(): Plugin {
  return {
    name: 'small-start',
    resolveId: {
      filter: { id: [...late.map((name) => new RegExp(`^${name}$`)), /\?whole$/] },
      handler: (id, importer = '') => (id.endsWith(whole) ? importer + whole : lateId + id),
    },
    load: {
      filter: { id: [new RegExp(`^${lateId}`), /[\\/]undici[\\/]/] },
      handler(id) {
        if (id.startsWith(lateId)) return lateModule(id.slice(lateId.length))
        if (id.endsWith(whole)) return readFileSync(id.slice(0, -whole.length), 'utf8')
        const path = id.replaceAll('\\', '/')
        return Object.entries(trimmed).find(([end]) => path.endsWith(`/node_modules/${end}`))?.[1]
      },
    },
  }
}

/** With a property for each export: what an ES import takes of a module is what it has when it is first named. */
function lateModule(name: string): string {
  const names = Object.keys(process.getBuiltinModule(name) ?? {})
  return `for (const name of ${JSON.stringify(names)})
    Object.defineProperty(exports, name, {
      enumerable: true,
      get: () => process.getBuiltinModule('${name}')[name]
    })`
}
