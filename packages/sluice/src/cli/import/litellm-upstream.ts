import { objectOf } from '@sluice/contract'
import { providers } from '@sluice/gateway/providers/index.ts'
import type { Path } from '../../config/references.ts'
import { kindAt, prefixRules, splitModel } from './litellm-providers.ts'
import type { ProviderDraft } from './provider-drafts.ts'
import type { SourceFields } from './source-fields.ts'
import { textOf, written } from './yaml-values.ts'

interface Upstream {
  readonly draft: ProviderDraft
  /** The name of the model at the provider. */
  readonly model: string
}

interface Given {
  readonly path: Path
  readonly params: Readonly<Record<string, unknown>>
}

/** The values of a deployment that say where it is asked, as sluice.yaml has them. */
interface Place {
  readonly key: string | undefined
  readonly address: string | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly authorities: string | undefined
}

/** Where the calls of a deployment go; a sentence if nothing can be said. */
export function litellmUpstream(fields: SourceFields, given: Given): Upstream | string {
  const { params, path } = given
  const id = textOf(params['model'])
  if (id === undefined) return 'it has no litellm_params.model'
  if (id === '*')
    return 'any model of a provider can be asked for as provider/model, without a route'
  if (id.startsWith('os.environ/'))
    return 'its model is a reference to the environment: write the model'
  const { prefix, rest } = splitModel(id, textOf(params['custom_llm_provider']))
  if (prefix === undefined) return `${id} names no provider that sluice import knows`
  const rule = Object.hasOwn(prefixRules, prefix) ? prefixRules[prefix] : undefined
  if (!rule)
    return `there is no provider for ${prefix}/: a server with OpenAI's API can be written as type: openai with its baseUrl`
  fields.taken([...path, 'custom_llm_provider'])
  const model = modelName(prefix, rest)
  if (model === '') return `${id} names no model`
  const place = readPlace(fields, given)
  if (place.address !== undefined && !/^(?:https?:\/\/[^\s]+|\$\{\w+\}.*)$/.test(place.address))
    return 'its api_base is no URL'
  const draft = draftOf(fields, given, { prefix, model, place })
  if (typeof draft === 'string') return draft
  const { name, ...settled } = draft
  const to = name ?? model
  return { draft: settled, model: to }
}

/** The name of a model without what LiteLLM puts before it to choose an API. */
function modelName(prefix: string, rest: string): string {
  if (prefix.startsWith('bedrock')) {
    return rest.replace(
      /^(?:(?:converse|converse_like|invoke)\/)?(?:[a-z]{2}(?:-gov)?-[a-z]+-\d\/)?(?:(?:converse|invoke)\/)?/,
      '',
    )
  }
  if (/^(?:openai|azure|azure_ai|xai)$/.test(prefix))
    return rest.replace(/^(?:responses|chat|o_series|o1_series|gpt5_series)\//, '')
  const parts = rest.split('/')
  // LiteLLM writes the server of a model before it, Hugging Face behind it.
  if (prefix === 'huggingface' && parts.length === 3) return `${parts[1]}/${parts[2]}:${parts[0]}`
  return rest
}

function readPlace(fields: SourceFields, { params, path }: Given): Place {
  const read = (name: string, to: string): string | undefined => {
    const text = textOf(params[name])
    if (text === undefined) return undefined
    const value = written(text)
    if (value === text) fields.taken([...path, name], to)
    else fields.changed([...path, name], `${to}: ${value}`)
    return value
  }
  const key = readKey(fields, { params, path })
  const address =
    read('api_base', 'baseUrl of the provider') ?? read('base_url', 'baseUrl of the provider')
  const organization = read('organization', 'header openai-organization of the provider')
  const headers: Record<string, string> = {}
  for (const name of ['headers', 'extra_headers'])
    for (const [header, value] of Object.entries(objectOf(params[name]))) {
      headers[header] = written(String(value))
      fields.taken([...path, name, header], 'headers of the provider')
    }
  if (organization !== undefined) headers['openai-organization'] = organization
  const ssl = params['ssl_verify']
  const authorities = typeof ssl === 'string' ? read('ssl_verify', 'ca of the provider') : undefined
  if (ssl === true) fields.taken([...path, 'ssl_verify'], 'always so')
  if (ssl === false)
    fields.left(
      [...path, 'ssl_verify'],
      'certificates are always verified: name the authority in ca of the provider',
    )
  return {
    key,
    address: address?.replace(/\/+$/, ''),
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    authorities,
  }
}

/** Keys that stand for none, as servers without keys are given. */
const noKey =
  /^(?:none|null|empty|not-?needed|no-?key(?:-?required)?|dummy|fake(?:-?key)?|anything|ollama|sk-no-key-required)$/i

function readKey(fields: SourceFields, { params, path }: Given): string | undefined {
  const text = textOf(params['api_key'])
  const at = [...path, 'api_key']
  if (text === undefined) return undefined
  if (noKey.test(text)) {
    fields.changed(at, 'no key')
    return undefined
  }
  const value = written(text)
  if (value === text)
    fields.taken(at, 'key of the provider, in plain text: better a reference to a variable')
  else
    fields.changed(at, `key of the provider${text.startsWith('os.environ/') ? `: ${value}` : ''}`)
  return value
}

interface Drafting {
  readonly prefix: string
  readonly model: string
  readonly place: Place
}

type Drafted = ProviderDraft & { readonly name?: string }

function draftOf(fields: SourceFields, given: Given, drafting: Drafting): Drafted | string {
  const { prefix, place } = drafting
  const basics = {
    ...(place.headers && { headers: place.headers }),
    ...(place.authorities !== undefined && { ca: place.authorities }),
  }
  if (prefix.startsWith('azure')) return { ...azureDraft(fields, given, drafting), ...basics }
  if (prefix.startsWith('bedrock')) return { ...bedrockDraft(fields, given, drafting), ...basics }
  if (prefix.startsWith('vertex_ai')) {
    const draft = vertexDraft(fields, given, drafting)
    return typeof draft === 'string' ? draft : { ...draft, ...basics }
  }
  const usual = usualDraft(drafting)
  if (typeof usual === 'string') return usual
  if (textOf(given.params['api_version']) !== undefined)
    fields.left([...given.path, 'api_version'], 'only Azure has versions of its API in a setting')
  return { ...usual, ...basics }
}

function usualDraft({ prefix, place }: Drafting): Drafted | string {
  const { kind, baseUrl: usualUrl, variable } = prefixRules[prefix] ?? {}
  const address = place.address ?? usualUrl
  const own = kind === undefined ? undefined : providers.get(kind)
  const isOwn = own !== undefined && (address === undefined || isAt(own.baseUrl, address))
  const elsewhere = kind === 'openai' && address !== undefined && !isOwn
  // A server with OpenAI's API may be one that the catalogue knows by its address.
  const found = elsewhere || kind === undefined ? address && kindAt(address) : kind
  if (found === undefined && address === undefined)
    return `${prefix}/ needs an address: set api_base`
  const provider = found === undefined ? undefined : providers.get(found)
  const key =
    place.key ??
    (variable === undefined || provider?.local === true || elsewhere || found === undefined
      ? undefined
      : `\${${variable}}`)
  const isHome = provider !== undefined && address !== undefined && isAt(provider.baseUrl, address)
  return {
    ...(found === undefined ? { type: 'openai' as const } : { kind: found }),
    ...(address !== undefined && !isHome && { baseUrl: address }),
    ...(key !== undefined && { key }),
  }
}

/** Whether an address is that of the catalogue, perhaps without its version. */
function isAt(own: string, address: string): boolean {
  return own === address || own.replace(/\/v1$/, '') === address.replace(/\/v1$/, '')
}

function azureDraft(
  fields: SourceFields,
  { params, path }: Given,
  { prefix, model, place }: Drafting,
): Drafted {
  const version = textOf(params['api_version'])
  if (version !== undefined) fields.taken([...path, 'api_version'], 'apiVersion of the provider')
  const fallback = prefix === 'azure_ai' ? '${AZURE_AI_API_BASE}' : '${AZURE_API_BASE}'
  const address = place.address ?? fallback
  const { key = prefix === 'azure_ai' ? '${AZURE_AI_API_KEY}' : '${AZURE_API_KEY}' } = place
  const foundry = /^(https:\/\/[\w-]+\.services\.ai\.azure\.com)/.exec(address)?.[1]
  if (prefix === 'azure_ai' && /claude/i.test(model))
    return {
      kind: 'anthropic',
      baseUrl: `${foundry ?? address.replace(/\/anthropic.*$/, '')}/anthropic`,
      key,
    }
  if (prefix === 'azure_ai' && foundry !== undefined)
    return { kind: 'azure-openai-v1', baseUrl: `${foundry}/openai/v1`, key }
  if (prefix === 'azure_ai') return { type: 'openai', baseUrl: address, key }
  if (address.endsWith('/openai/v1')) return { kind: 'azure-openai-v1', baseUrl: address, key }
  // LiteLLM takes the whole address of a deployment as well.
  const [, host = address, named] =
    /^(https?:\/\/[^/]+)\/openai\/deployments\/([^/?]+)/.exec(address) ?? []
  return {
    kind: 'azure-openai',
    baseUrl: host,
    key,
    ...(version !== undefined && { apiVersion: written(version) }),
    ...(named !== undefined && { name: named }),
  }
}

function bedrockDraft(fields: SourceFields, { params, path }: Given, { place }: Drafting): Drafted {
  const inName = /(?:^|\/)([a-z]{2}(?:-gov)?-[a-z]+-\d)\//.exec(textOf(params['model']) ?? '')?.[1]
  const read = (name: string, to: string) => {
    const text = textOf(params[name])
    if (text !== undefined) fields.changed([...path, name], `${to} of the provider`)
    return text === undefined ? undefined : written(text)
  }
  const region = read('aws_region_name', 'region') ?? read('region_name', 'region') ?? inName
  const access = read('aws_access_key_id', 'key')
  const secret = read('aws_secret_access_key', 'key')
  const session = read('aws_session_token', 'key')
  const endpoint = read('aws_bedrock_runtime_endpoint', 'baseUrl') ?? place.address
  if ('aws_profile_name' in params)
    fields.changed(
      [...path, 'aws_profile_name'],
      'key: default-chain; set AWS_PROFILE to it, which holds for the process',
    )
  const hasIdentity = ['aws_profile_name', 'aws_role_name', 'aws_web_identity_token'].some(
    (name) => name in params,
  )
  const key =
    access !== undefined && secret !== undefined
      ? [access, secret, ...(session === undefined ? [] : [session])].join(':')
      : (place.key ?? (hasIdentity ? 'default-chain' : undefined))
  return {
    kind: 'amazon-bedrock',
    ...(endpoint !== undefined && { baseUrl: endpoint.replace(/\/+$/, '') }),
    ...(region !== undefined && { region }),
    ...(key !== undefined && { key }),
  }
}

function vertexDraft(
  fields: SourceFields,
  { params, path }: Given,
  { model, place }: Drafting,
): Drafted | string {
  const isClaude = model.startsWith('claude')
  if (
    !isClaude &&
    !/^(?:gemini|gemma|text-|multimodal|imagen|veo|textembedding|medlm|learnlm)/.test(model)
  )
    return `Vertex AI is asked for models of Google and Anthropic only, and ${model} is neither`
  const read = (name: string, to: string) => {
    const text = textOf(params[name])
    if (text !== undefined) fields.changed([...path, name], `${to} of the provider`)
    return text === undefined ? undefined : written(text)
  }
  const project = read('vertex_project', 'project')
  const region = read('vertex_location', 'region') ?? read('region_name', 'region')
  const file = textOf(params['vertex_credentials'])
  const isText = file?.startsWith('{') === true || file?.startsWith('os.environ/') === true
  if (file !== undefined && isText)
    fields.changed([...path, 'vertex_credentials'], 'key of the provider')
  if (file !== undefined && !isText)
    fields.changed(
      [...path, 'vertex_credentials'],
      'key: application-default; set GOOGLE_APPLICATION_CREDENTIALS to this file',
    )
  const key = place.key ?? (file !== undefined && isText ? written(file) : 'application-default')
  return {
    kind: isClaude ? 'google-vertex-anthropic' : 'google-vertex',
    ...(place.address !== undefined && { baseUrl: place.address }),
    ...(project !== undefined && { project }),
    ...(region !== undefined && { region }),
    key,
  }
}
