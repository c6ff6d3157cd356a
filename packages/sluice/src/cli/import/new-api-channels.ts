import { providers } from '@sluice/gateway/providers/index.ts'
import { isObject } from '@sluice/contract'
import { yamlOf, type ImportedSettings } from './litellm-config.ts'
import { type ProviderDraft, ProviderDrafts } from './provider-drafts.ts'
import { labelOf, RowReports, SourceRow } from './source-rows.ts'
import type { Tables } from './source-tables.ts'
import { written } from './yaml-values.ts'

/** The provider of each type of channel (new-api, `constant/channel.go`); absent types are reported. */
const kindOfType: Readonly<Record<number, string>> = {
  1: 'openai',
  3: 'azure-openai',
  4: 'ollama',
  14: 'anthropic',
  16: 'zhipuai',
  17: 'alibaba',
  20: 'openrouter',
  23: 'hunyuan',
  24: 'google',
  25: 'moonshotai',
  26: 'zhipuai',
  27: 'perplexity',
  33: 'amazon-bedrock',
  34: 'cohere',
  35: 'minimax',
  38: 'jina',
  39: 'cloudflare-workers-ai',
  40: 'siliconflow',
  41: 'google-vertex',
  42: 'mistral',
  43: 'deepseek',
  45: 'volcengine',
  46: 'qianfan',
  47: 'xinference',
  48: 'xai',
  54: 'volcengine',
  55: 'openai',
}

/** Types of channels that are other servers with OpenAI's API. */
const compatibleTypes: ReadonlySet<number> = new Set([6, 7, 8, 10, 12, 13, 19, 22, 31, 53])

/** Where new-api's own address of a type is another than that of the catalogue. */
const addressOfType: Readonly<Record<number, string>> = {
  6: 'https://api.openaimax.com/v1',
  7: 'https://api.ohmygpt.com/v1',
  10: 'https://api.aiproxy.io/v1',
  12: 'https://api.api2gpt.com/v1',
  13: 'https://api.aigc2d.com/v1',
  17: 'https://dashscope.aliyuncs.com',
  19: 'https://api.360.cn/v1',
  25: 'https://api.moonshot.cn/v1',
  31: 'https://api.lingyiwanwu.com/v1',
  40: 'https://api.siliconflow.cn/v1',
  53: 'https://llm.submodel.ai/v1',
}

/** A channel as routes need it. */
export interface Channel {
  readonly provider: string
  /** The name at the provider of each name that callers write. */
  readonly models: ReadonlyMap<string, string>
  readonly groups: readonly string[]
  readonly weight: number
  readonly priority: number
}

const enabled = 1

/** The channels of new-api as providers, and the models that they offer as routes. */
export function importChannels(
  tables: Tables,
  source: string,
): ImportedSettings & { readonly channels: readonly Channel[] } {
  const reports = new RowReports()
  const drafts = new ProviderDrafts()
  const channels = (tables.get('channels') ?? []).flatMap((row) => {
    const label = labelOf(row, 'name')
    const found = readChannel(new SourceRow({ table: 'channels', row, label }, reports), drafts)
    return found ? [found] : []
  })
  const settings = { providers: drafts.settings(), models: routesOf(channels) }
  return { yaml: yamlOf(settings, source), report: reports.report(), channels }
}

function readChannel(row: SourceRow, drafts: ProviderDrafts): Channel | undefined {
  const type = row.number('type') ?? 0
  if ((row.number('status') ?? enabled) !== enabled) {
    row.leave('it is disabled')
    return undefined
  }
  const draft = draftOf(row, type)
  if (typeof draft === 'string') {
    row.leave(draft)
    return undefined
  }
  const mapping = row.object('model_mapping')
  const names = splitList(row.text('models') ?? '')
  const models = new Map(
    names.map((name) => {
      const to = mapping[name]
      return [name, typeof to === 'string' && to !== '' ? to : name]
    }),
  )
  const provider = drafts.add(draft)
  row.changed('type', draft.kind ?? draft.type ?? '')
  row.taken('models', 'routes')
  row.changed('model_mapping', 'the names of the targets')
  row.changed('weight', 'weight of the targets')
  row.changed('priority', 'priority of the targets: here the lowest number comes first')
  row.changed('group', 'models of a group stand in the lists of its keys')
  for (const name of ['id', 'name', 'status']) row.taken(name)
  row.end(channelReasons)
  return {
    provider,
    models,
    groups: splitList(row.text('group') ?? 'default'),
    weight: row.number('weight') ?? 0,
    priority: row.number('priority') ?? 0,
  }
}

/** The provider of a channel; a sentence if there is none. */
function draftOf(row: SourceRow, type: number): ProviderDraft | string {
  const kind = kindOfType[type]
  const given = row.text('base_url')?.replace(/\/+$/, '')
  const address = given ?? addressOfType[type]
  if (kind === undefined && !compatibleTypes.has(type))
    return `there is no provider for channels of type ${type}`
  if (kind === undefined && address === undefined) return 'it has no base_url'
  const keys = keysOf(row)
  if (typeof keys === 'string') return keys
  if (given !== undefined) row.taken('base_url', 'baseUrl of the provider')
  const own = kind === undefined ? undefined : providers.get(kind)
  const baseUrl =
    address === undefined || address === own?.baseUrl || `${address}/v1` === own?.baseUrl
      ? undefined
      : address
  const headers = headersOf(row)
  const { proxy } = row.object('setting')
  if (typeof proxy === 'string' && proxy !== '') row.changed('setting', 'proxy of the provider')
  return {
    ...(kind === undefined ? { type: 'openai' as const } : { kind }),
    ...(baseUrl !== undefined && {
      baseUrl: baseUrl + (kind === undefined && /^https?:\/\/[^/]+$/.test(baseUrl) ? '/v1' : ''),
    }),
    ...(keys.length === 1 ? { key: keys[0] } : keys.length > 1 && { keys: [...keys] }),
    ...(headers && { headers }),
    ...(typeof proxy === 'string' && proxy !== '' && { proxy: written(proxy) }),
    ...placeOf(row, kind),
  }
}

function keysOf(row: SourceRow): readonly string[] | string {
  const text = row.text('key')?.trim() ?? ''
  const isMany = row.object('channel_info')['is_multi_key'] === true
  const json = row.json('key')
  row.taken('key', 'key of the provider, in plain text: better a reference to a variable')
  row.taken('channel_info', isMany ? 'keys of the provider' : '')
  if (isObject(json)) return [JSON.stringify(json)]
  if (Array.isArray(json))
    return json.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
  const keys = text
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  return (isMany ? keys : keys.slice(0, 1)).map(written)
}

function headersOf(row: SourceRow): Readonly<Record<string, string>> | undefined {
  const organization = row.text('openai_organization')
  if (organization !== undefined) row.changed('openai_organization', 'header openai-organization')
  const overrides = Object.entries(row.object('header_override')).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string' && !pair[1].includes('{'),
  )
  row.changed(
    'header_override',
    'headers of the provider, without those that name values of the caller',
  )
  const headers = {
    ...Object.fromEntries(overrides.map(([name, value]) => [name, written(value)])),
    ...(organization !== undefined && { 'openai-organization': written(organization) }),
  }
  return Object.keys(headers).length > 0 ? headers : undefined
}

/** What `other` means depends on the type: a version of the API, or a region. */
function placeOf(row: SourceRow, kind: string | undefined): ProviderDraft {
  const other = row.text('other')
  if (kind === 'azure-openai') {
    const version = other ?? row.object('settings')['azure_responses_version']
    row.changed('other', 'apiVersion of the provider')
    return typeof version === 'string' ? { apiVersion: version } : {}
  }
  if (kind === 'google-vertex') {
    const regions = row.json('other')
    const region = isObject(regions) ? regions['default'] : other
    row.changed('other', 'region of the provider')
    return typeof region === 'string' ? { region } : {}
  }
  if (kind === 'amazon-bedrock') {
    // ACCESS|SECRET|REGION
    const [access, secret, region] = (row.text('key') ?? '').split('|')
    if (region !== undefined) return { key: `${access}:${secret}`, region }
  }
  return {}
}

type Route = string | { readonly targets: readonly unknown[] }

function routesOf(channels: readonly Channel[]): Readonly<Record<string, Route>> {
  const first = Math.max(0, ...channels.map(({ priority }) => priority))
  const byName = new Map<string, Channel[]>()
  for (const channel of channels)
    for (const name of channel.models.keys())
      byName.set(name, [...(byName.get(name) ?? []), channel])
  return Object.fromEntries(
    [...byName].map(([name, offering]): [string, Route] => {
      const [only, ...more] = offering
      if (only && more.length === 0) return [name, targetIn(only, name)]
      const weights = offering.map(({ weight }) => weight)
      const isWeighted = weights.some((weight) => weight !== weights[0])
      const isRanked = offering.some(({ priority }) => priority !== offering[0]?.priority)
      const targets = offering.map((channel) => {
        const target = targetIn(channel, name)
        const options = {
          // new-api adds 10 to weights of which some are 0, so that these get calls, too.
          ...(isWeighted && { weight: weights.includes(0) ? channel.weight + 10 : channel.weight }),
          ...(isRanked && { priority: first - channel.priority }),
        }
        return Object.keys(options).length === 0 ? target : { target, ...options }
      })
      return [name, { targets: uniqueBy(targets) }]
    }),
  )
}

function uniqueBy(targets: readonly unknown[]): readonly unknown[] {
  return [...new Map(targets.map((one) => [JSON.stringify(one), one])).values()]
}

function targetIn({ provider, models }: Channel, name: string): string {
  return `${provider}/${models.get(name) ?? name}`
}

export function splitList(text: string): readonly string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

const ofNewApi = 'it is of new-api’s own administration'
const channelReasons: Readonly<Record<string, string>> = {
  auto_ban: 'a target that fails is tried last, and a refused key rests',
  balance: 'the balance at a provider is not watched',
  balance_updated_time: ofNewApi,
  created_time: ofNewApi,
  need_reconcile: ofNewApi,
  other: 'nothing is known of it for this type',
  other_info: ofNewApi,
  param_override: 'write defaults on the route',
  remark: 'write it as a comment',
  response_time: ofNewApi,
  setting: 'of these settings only proxy has a counterpart',
  settings: 'of these settings only the version of Azure’s API has a counterpart',
  status_code_mapping: 'errors are translated for each client format',
  tag: 'write it as a comment',
  test_model: 'sluice check --live chooses a model',
  test_time: ofNewApi,
  used_quota: 'the records of calls stay with new-api',
}
