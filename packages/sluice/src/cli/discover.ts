import { isObject, listOf, objectOf } from '@sluice/contract'
import { absoluteConfigFile } from '../config/config.ts'
import { replaceFile, setSetting } from '../config/edit.ts'
import type { Environment } from '../config/env.ts'
import { parseConfig } from '../config/file.ts'
import { readTextIfAny } from '../config/read-text.ts'
import { askForJson } from './ask-server.ts'

/** A kind of model server, its default port, and how to recognize it. */
export interface LocalServer {
  /** The provider's name in sluice.yaml. */
  readonly id: string
  readonly name: string
  readonly port: number
  /** A path that only this kind of server answers, and a field of the response. */
  readonly sign: { readonly path: string; readonly field: string }
}

/**
 * Ollama: github.com/ollama/ollama docs/api.md. LM Studio: lmstudio.ai/docs/api/rest-api. vLLM: docs.vllm.ai,
 * OpenAI-compatible server. llama.cpp: tools/server/README.md. LocalAI: localai.io, System Info and Version.
 */
const knownServers: readonly LocalServer[] = [
  { id: 'ollama', name: 'Ollama', port: 11_434, sign: { path: '/api/version', field: 'version' } },
  {
    id: 'lmstudio',
    name: 'LM Studio',
    port: 1234,
    sign: { path: '/api/v0/models', field: 'data' },
  },
  { id: 'vllm', name: 'vLLM', port: 8000, sign: { path: '/version', field: 'version' } },
  {
    id: 'llamacpp',
    name: 'llama.cpp',
    port: 8080,
    sign: { path: '/props', field: 'default_generation_settings' },
  },
  { id: 'localai', name: 'LocalAI', port: 8080, sign: { path: '/system', field: 'backends' } },
]

interface FoundServer {
  readonly server: LocalServer
  readonly baseUrl: string
  readonly models: readonly string[]
}

/** Timeout for a server on this machine, in milliseconds. */
const probeMs = 1_500

/** Looks for model servers on loopback, and prints or writes the YAML that adds them as providers. */
export async function discover(
  environment: Environment,
  { write = false, json = false }: { readonly write?: boolean; readonly json?: boolean },
  servers: readonly LocalServer[] = knownServers,
): Promise<string> {
  const probed = await Promise.all(servers.map(probe))
  const found = probed.filter((each) => each !== undefined)
  const file = absoluteConfigFile(environment)
  const before = readTextIfAny(file)
  const { providers = {} } = parseConfig(before, file, environment.variables)
  const missing = found.filter(({ server }) => !Object.hasOwn(providers, server.id))
  const isWritten = write && missing.length > 0
  if (isWritten) {
    const after = addProviders(before, missing)
    parseConfig(after, file, environment.variables)
    replaceFile(file, after)
  }
  const added = missing.map(({ server }) => server.id)
  if (json) {
    const servers = found.map(({ server, ...rest }) => ({
      id: server.id,
      name: server.name,
      ...rest,
    }))
    return JSON.stringify({ file, found: servers, added: isWritten ? added : [] }, null, 2)
  }
  if (found.length === 0) {
    const tried = servers.map(({ name, port }) => `${name} (${port})`).join(', ')
    return `No model server answers on this machine. Looked for ${tried}.`
  }
  const lines = found.map(({ server, baseUrl, models }) => {
    const listed = models.length > 0 ? models.join(', ') : 'no models yet'
    return `${server.name} at ${baseUrl}: ${listed}`
  })
  if (missing.length === 0) return [...lines, `All of them are in ${file} already.`].join('\n')
  if (isWritten) return [...lines, `Added to ${file}: ${added.join(', ')}`].join('\n')
  const yaml = addProviders('', missing)
  return [...lines, '', `Add to ${file}, or run again with --write:`, '', yaml].join('\n')
}

function addProviders(text: string, found: readonly FoundServer[]): string {
  return found.reduce(
    (yaml, { server, baseUrl }) => setSetting(yaml, ['providers', server.id], { baseUrl }),
    text,
  )
}

async function probe(server: LocalServer): Promise<FoundServer | undefined> {
  const address = `http://127.0.0.1:${server.port}`
  const sign = await askForJson(address + server.sign.path, probeMs)
  if (!isObject(sign) || !(server.sign.field in sign)) return undefined
  const baseUrl = `${address}/v1`
  return { server, baseUrl, models: modelIds(await askForJson(`${baseUrl}/models`, probeMs)) }
}

/** The ids of a list in OpenAI's format; empty for anything else. */
function modelIds(list: unknown): readonly string[] {
  return listOf(objectOf(list)['data'])
    .map((item) => objectOf(item)['id'])
    .filter((id) => typeof id === 'string')
}
