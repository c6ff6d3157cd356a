// Settings files of LiteLLM as people have them, written anew: what they become, and what the report says of every field.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { LineCounter, parse, parseDocument } from 'yaml'
import { fakeUpstream, json } from '../../../../test/support/fakes/fake-upstream.ts'
import { chatReply } from '../../../../test/support/fakes/openai-wire.ts'
import { start } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { certificate } from '../../../../test/support/servers/certificates.ts'
import { providers } from '../../../gateway/src/providers/index.ts'
import { check } from '../../src/cli/check.ts'
import { importLitellmConfig } from '../../src/cli/import/litellm-config.ts'
import { kindAt, prefixRules } from '../../src/cli/import/litellm-providers.ts'
import { formatReport } from '../../src/cli/import/report.ts'
import { readEnvironment } from '../../src/config/env.ts'
import type { ConfigFile } from '../../src/config/schema.ts'

const folder = join(import.meta.dirname, 'litellm')
const names = readdirSync(folder).flatMap((file) => /^(.+)\.config\.yaml$/.exec(file)?.[1] ?? [])
const textOf = (name: string) => readFileSync(join(folder, `${name}.config.yaml`), 'utf8')

/** What no file loses by not being taken: it is about LiteLLM itself, or says what is so anyway. */
const ofLitellm =
  /^(?:general_settings\.(?:master_key|database_url|store_model_in_db)|litellm_settings\.set_verbose|.*model_info\.id|credential_list\[\d+\]\.credential_info)$/

describe.each(names)('%s', (name) => {
  const imported = importLitellmConfig(textOf(name), `${name}.config.yaml`)

  test('becomes the settings beside it', async () => {
    await expect(imported.yaml).toMatchFileSnapshot(join(folder, `${name}.sluice.yaml`))
  })

  test('has a report of every field with its line', async () => {
    const report = `${formatReport(imported.report)}\n`
    await expect(report).toMatchFileSnapshot(join(folder, `${name}.report.txt`))
    const lines = new LineCounter()
    parseDocument(textOf(name), { lineCounter: lines })
    const last = lines.linePos(textOf(name).length).line
    for (const { place, note } of imported.report) {
      const line = Number(/:(\d+)$/.exec(place)?.[1])
      expect(line).toBeGreaterThan(0)
      expect(line).toBeLessThanOrEqual(last)
      expect(note).not.toBe('sluice import does not know this field')
    }
    const fields = imported.report.map(({ field }) => field)
    expect(fields).toEqual([...new Set(fields)])
    for (const leaf of leavesOf(parseDocument(textOf(name), { merge: true }).toJS()))
      expect(
        fields.filter(
          (field) => leaf === field || leaf.startsWith(`${field}.`) || leaf.startsWith(`${field}[`),
        ),
        leaf,
      ).toHaveLength(1)
  })

  test('is accepted by sluice check', async () => {
    using home = temporaryFolder()
    const authority = join(home.path, 'authority.pem')
    writeFileSync(authority, certificate('acme', { isAuthority: true }).cert)
    const file = join(home.path, 'sluice.yaml')
    writeFileSync(file, imported.yaml)
    const referred = [...imported.yaml.matchAll(/\$\{(\w+)\}/g)].map(([, one = '']) => one)
    const value = (variable: string) =>
      variable.endsWith('_CA') ? authority : variable.endsWith('_URL') ? 'redis://127.0.0.1' : 'v'
    const environment = readEnvironment({
      ...Object.fromEntries(referred.map((one) => [one, value(one)])),
      SLUICE_CONFIG: file,
      SLUICE_DATA: join(home.path, 'data'),
    })
    const { isFine = true, text } = await check(environment, { json: true })
    expect(isFine, text).toBe(true)
  })
})

test('at least nine of twelve files are taken whole', () => {
  expect(names).toHaveLength(12)
  const whole = names.filter((name) =>
    importLitellmConfig(textOf(name), name).report.every(
      ({ verdict, field }) => verdict !== 'not taken' || ofLitellm.test(field),
    ),
  )
  expect(whole.length).toBeGreaterThanOrEqual(9)
})

test('every provider of the catalogue is meant by a prefix of LiteLLM or found by its address', () => {
  const meant = new Set(Object.values(prefixRules).map(({ kind }) => kind))
  // By a model, by a version of the API, or a server of one's own, which type: openai reaches.
  const others = new Set(['google-vertex-anthropic', 'azure-openai-v1', 'openai-responses'])
  const missing = [...providers.values()].filter(
    ({ id, baseUrl, local }) =>
      !meant.has(id) && !others.has(id) && local !== true && kindAt(baseUrl) !== id,
  )
  expect(missing.map(({ id }) => id)).toEqual([])
  for (const { kind } of Object.values(prefixRules))
    if (kind !== undefined) expect([...providers.keys()]).toContain(kind)
})

/** The names of all values, a list of plain values as one. */
function leavesOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value) && value.some((one) => typeof one === 'object'))
    return value.flatMap((one, index) => leavesOf(one, `${path}[${index}]`))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path]
  return Object.entries(value).flatMap(([name, one]) =>
    leavesOf(
      one,
      `${path}${/^[\w-]+$/.test(name) ? `${path === '' ? '' : '.'}${name}` : `["${name}"]`}`,
    ),
  )
}

const reference = {
  litellm_settings:
    'success_callback failure_callback callbacks service_callbacks turn_off_message_logging modify_params enable_preview_features redact_user_api_key_info mcp_aliases langfuse_default_tags set_verbose json_logs default_fallbacks request_timeout force_ipv4 content_policy_fallbacks context_window_fallbacks cache cache_params disable_end_user_cost_tracking key_generation_settings disable_add_transform_inline_image_block use_chat_completions_url_for_anthropic_messages disable_hf_tokenizer_download enable_json_schema_validation enable_key_alias_format_validation disable_copilot_system_to_assistant drop_params max_budget budget_duration ssl_verify num_retries fallbacks'.split(
      ' ',
    ),
  general_settings:
    'completion_model disable_spend_logs disable_spend_updates disable_master_key_return disable_retry_on_max_parallel_request_limit_error disable_reset_budget disable_adding_master_key_hash_to_db disable_responses_id_security enable_jwt_auth enforce_user_param reject_clientside_metadata_tags allowed_routes key_management_system master_key database_url database_connection_pool_limit database_connection_timeout allow_requests_on_db_unavailable custom_auth max_parallel_requests global_max_parallel_requests infer_model_from_keys background_health_checks health_check_interval alerting alerting_threshold use_client_credentials_pass_through_routes health_check_details public_routes alert_types enforced_params enable_oauth2_auth use_x_forwarded_for service_account_settings image_generation_model store_model_in_db supported_db_objects user_mcp_management_mode store_prompts_in_spend_logs max_request_size_mb max_response_size_mb proxy_budget_rescheduler_min_time proxy_batch_write_at proxy_batch_polling_interval alerting_args custom_key_generate allowed_ips embedding_model default_team_disabled alert_to_webhook_url key_management_settings allow_user_auth user_api_key_cache_ttl disable_prisma_schema_update litellm_key_header_name moderation_model custom_sso allow_client_side_credentials admin_only_routes use_azure_key_vault use_google_kms spend_report_frequency ui_access_mode litellm_jwtauth litellm_license oauth2_config_mappings pass_through_endpoints enable_oauth2_proxy_auth forward_openai_org_id forward_client_headers_to_llm_api maximum_spend_logs_retention_period maximum_spend_logs_retention_interval'.split(
      ' ',
    ),
  router_settings:
    'routing_strategy redis_host redis_password redis_port redis_db enable_pre_call_check enable_pre_call_checks content_policy_fallbacks fallbacks enable_tag_filtering tag_filtering_match_any cooldown_time disable_cooldowns retry_policy allowed_fails allowed_fails_policy default_max_parallel_requests default_priority polling_interval max_fallbacks default_litellm_params timeout stream_timeout debug_level client_ttl cache_kwargs routing_strategy_args model_group_alias num_retries default_fallbacks'.split(
      ' ',
    ),
}

describe('single settings', () => {
  const deployment = (params: string, further = '') =>
    `model_list:\n  - model_name: m\n    litellm_params: {${params}}\n${further}`
  const settingsOf = (text: string) =>
    parseDocument(importLitellmConfig(text, 'config.yaml').yaml).toJS() as {
      readonly providers: Readonly<Record<string, object>>
      readonly models: Readonly<Record<string, unknown>>
    }

  test.each<[params: string, provider: object, target: string]>([
    [
      'model: azure/d1, api_base: https://a.openai.azure.com',
      { 'azure-openai': { baseUrl: 'https://a.openai.azure.com', key: '${AZURE_API_KEY}' } },
      'azure-openai/d1',
    ],
    [
      'model: azure/d1, api_base: https://a.openai.azure.com/openai/v1/, api_key: k',
      { 'azure-openai-v1': { baseUrl: 'https://a.openai.azure.com/openai/v1', key: 'k' } },
      'azure-openai-v1/d1',
    ],
    [
      'model: azure_ai/deepseek-v3, api_base: https://f.services.ai.azure.com/models, api_key: k',
      { 'azure-openai-v1': { baseUrl: 'https://f.services.ai.azure.com/openai/v1', key: 'k' } },
      'azure-openai-v1/deepseek-v3',
    ],
    [
      'model: bedrock/eu-west-1/anthropic.claude-v2, api_key: k',
      { 'amazon-bedrock': { region: 'eu-west-1', key: 'k' } },
      'amazon-bedrock/anthropic.claude-v2',
    ],
    [
      'model: huggingface/together/meta-llama/Llama-3, api_key: k',
      { huggingface: { key: 'k' } },
      'huggingface/meta-llama/Llama-3:together',
    ],
    [
      'model: openai/gpt-6-sol, api_base: https://api.openai.com/v1, api_key: k',
      { openai: { key: 'k' } },
      'openai/gpt-6-sol',
    ],
    [
      'model: my-model, custom_llm_provider: openai, api_base: "http://h:1/v1"',
      { h: { type: 'openai', baseUrl: 'http://h:1/v1' } },
      'h/my-model',
    ],
    [
      'model: hosted_vllm/m, api_base: os.environ/VLLM_BASE',
      { vllm: { baseUrl: '${VLLM_BASE}' } },
      'vllm/m',
    ],
    [
      'model: bedrock/amazon.nova-pro-v1:0, region_name: eu-west-1, api_key: k',
      { 'amazon-bedrock': { region: 'eu-west-1', key: 'k' } },
      'amazon-bedrock/amazon.nova-pro-v1:0',
    ],
    ['model: groq/m', { groq: { key: '${GROQ_API_KEY}' } }, 'groq/m'],
    ['model: command-r, api_key: "a${B}"', { cohere: { key: 'a$${B}' } }, 'cohere/command-r'],
    ['model: openai/responses/gpt-5.5, api_key: k', { openai: { key: 'k' } }, 'openai/gpt-5.5'],
  ])('%s', (params, provider, target) => {
    const settings = settingsOf(deployment(params))
    expect(settings.providers).toEqual(provider)
    expect(settings.models).toEqual({ m: target })
  })

  test.each([
    ['model: acme/m', 'there is no provider for acme/'],
    ['model: something', 'names no provider'],
    ['model: azure/, api_key: k', 'names no model'],
    ['model: "*"', 'without a route'],
    ['api_key: k', 'no litellm_params.model'],
    ['model: custom_openai/m', 'needs an address'],
    ['model: vertex_ai/meta/llama-4', 'neither'],
  ])('%s is not taken, and the report says why', (params, why) => {
    const { report } = importLitellmConfig(deployment(params), 'config.yaml')
    expect(report).toMatchObject([
      {
        place: 'config.yaml:2',
        field: 'model_list[0]',
        verdict: 'not taken',
        note: expect.stringContaining(why) as string,
      },
    ])
  })

  test('an alias has the fallbacks of its model', () => {
    const text = deployment(
      'model: openai/a, api_key: k',
      '  - model_name: n\n    litellm_params: {model: openai/b, api_key: k}\nrouter_settings: {model_group_alias: {x: m}, fallbacks: [{m: [n, gone]}], default_fallbacks: [n]}\n',
    )
    expect(settingsOf(text).models).toEqual({
      m: { targets: ['openai/a'], fallback: ['n'] },
      n: 'openai/b',
      x: { targets: ['openai/a'], fallback: ['n'] },
    })
  })

  test('calls go where LiteLLM sent them, with the defaults of the name', async () => {
    await using upstream = await fakeUpstream((_seen, response) => json(response, chatReply('Hi')))
    const text = deployment(
      `model: openai/own-model, api_base: ${upstream.url}, api_key: upstream-key, temperature: 0.2`,
    )
    await using gateway = await start(parse(importLitellmConfig(text, 'c.yaml').yaml) as ConfigFile)
    const messages = [{ role: 'user', content: 'Hi' }]
    expect((await gateway.post('/v1/chat/completions', { model: 'm', messages })).status).toBe(200)
    expect(upstream.seen).toMatchObject([
      {
        headers: { authorization: 'Bearer upstream-key' },
        body: { model: 'own-model', temperature: 0.2 },
      },
    ])
  })

  test('a wildcard leads to a wildcard only, and * to the default model', () => {
    const text = deployment(
      'model: openai/a, api_key: k',
      '  - model_name: w/*\n    litellm_params: {model: openai/b, api_key: k}\n  - model_name: x/*\n    litellm_params: {model: openai/*, api_key: k}\n  - model_name: "*"\n    litellm_params: {model: openai/c, api_key: k}\n',
    )
    const { yaml, report } = importLitellmConfig(text, 'c.yaml')
    expect(parseDocument(yaml).toJS()).toMatchObject({
      models: { m: 'openai/a', 'x/*': 'openai/*' },
      defaultModel: 'openai/c',
    })
    expect(report.filter(({ verdict }) => verdict === 'not taken')).toMatchObject([
      { place: 'c.yaml:4', field: 'model_list[1]' },
    ])
  })

  /** LiteLLM's reference of its settings (https://docs.litellm.ai/docs/proxy/config_settings). */
  test.each(Object.entries(reference))(
    '%s: nothing of the reference is unknown',
    (section, list) => {
      const text = list.map((name) => `  ${name}: [{}]`).join('\n')
      const { report } = importLitellmConfig(`${section}:\n${text}\n`, 'c.yaml')
      expect(report.filter(({ note }) => note.includes('does not know'))).toEqual([])
      expect(report).toHaveLength(list.length)
    },
  )

  test('no secret is in the report', () => {
    const text = deployment(
      'model: openai/m, api_base: "https://u:hidden1@h.example/v1", api_key: hidden2, extra_headers: {x-key: hidden3}',
      'general_settings: {master_key: hidden4}\nenvironment_variables: {A: hidden5}\n',
    )
    expect(JSON.stringify(importLitellmConfig(text, 'c.yaml').report)).not.toContain('hidden')
  })

  test('limits of several processes are shared by the same Redis', () => {
    const redis = (lines: string) =>
      (parse(importLitellmConfig(`router_settings: {${lines}}`, 'c.yaml').yaml) as ConfigFile).redis
    expect(redis('redis_host: r, redis_port: 7000, redis_password: "a/b", redis_db: 2')).toEqual({
      url: 'redis://:a%2Fb@r:7000/2',
    })
    expect(redis('redis_host: os.environ/H, redis_password: os.environ/P')).toEqual({
      url: 'redis://:${P}@${H}:6379',
    })
    expect(redis('redis_port: 7000')).toBeUndefined()
  })

  test('* with a wildcard leads all other names to it', () => {
    const text = deployment(
      'model: openai/a, api_key: k',
      '  - model_name: "*"\n    litellm_params: {model: openai/*, api_key: k}\n',
    )
    const settings = settingsOf(text)
    expect(settings.models).toEqual({ m: 'openai/a', '*': 'openai/*' })
    expect(settings.providers).toEqual({ openai: { key: 'k' } })
  })

  test('unknown fields, a broken text and an empty file', () => {
    const { report } = importLitellmConfig('wonder: {a: 1}\nlitellm_settings: {b: [1]}\n', 'c.yaml')
    expect(report).toEqual([
      {
        place: 'c.yaml:1',
        field: 'wonder.a',
        verdict: 'not taken',
        note: 'sluice import does not know this field',
      },
      {
        place: 'c.yaml:2',
        field: 'litellm_settings.b',
        verdict: 'not taken',
        note: 'sluice import does not know this field',
      },
    ])
    expect(() => importLitellmConfig('a: [\n', 'c.yaml')).toThrow(/^c\.yaml:\d: /)
    expect(importLitellmConfig('', 'c.yaml').report).toEqual([])
  })
})
