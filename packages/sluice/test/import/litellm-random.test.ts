// Settings of LiteLLM that hold anything anywhere: they become settings that Sluice takes, and each field is reported once.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import '../../../../test/support/property-limits.ts'
import { importLitellmConfig } from '../../src/cli/import/litellm-config.ts'
import { parseConfig } from '../../src/config/file.ts'

const words = (text: string) => text.trim().split(/\s+/)
const word = fc.constantFrom(...words('x * a/* os.environ/X https://h.example/v1 least-busy'))
const plain = fc.constantFrom<unknown>(null, 3, -1, 0.5, true, '')
const nested = fc.constantFrom<unknown>([], {}, [{}], ['a'], { a: 'b' }, [null], [[1]], {
  gpt: 'm',
})
const fallbacks = fc.constantFrom<unknown>({ m: ['gpt'] }, [{ m: ['gpt'] }])
const anything = fc.oneof(word, plain, nested, fallbacks)
const some = (names: string) =>
  fc.dictionary(fc.constantFrom(...words(names)), anything, { maxKeys: 6 })

const name = fc.oneof(fc.constantFrom(...words('m gpt * a/* openai/* x.y')), plain)
const model = fc.oneof(
  fc.constantFrom(
    ...words('openai/gpt openai/* azure/d bedrock/eu-west-1/x vertex_ai/gemini-x ollama/l:1'),
    ...words('hosted_vllm/m gpt-4o nope/x * openai/ huggingface/a/b/c'),
  ),
  plain,
)
const params = some(`
  api_key api_base rpm tpm weight order timeout stream_timeout temperature max_tokens thinking extra_body extra_headers
  organization aws_region_name vertex_project ssl_verify max_retries custom_llm_provider input_cost_per_token foo`)
const deployment = fc.record({
  model_name: name,
  litellm_params: fc.oneof(
    fc.tuple(model, params).map(([one, others]) => ({ model: one, ...others })),
    anything,
  ),
  model_info: fc.oneof(some('max_tokens access_groups base_model mode id'), anything),
})
const section = some(`
  fallbacks context_window_fallbacks default_fallbacks num_retries request_timeout drop_params routing_strategy
  model_group_alias redis_host redis_port allowed_fails cooldown_time default_model completion_model cache retry_after foo`)
const settings = fc.record({
  model_list: fc.oneof(fc.array(fc.oneof(deployment, anything), { maxLength: 5 }), anything),
  litellm_settings: fc.oneof(section, anything),
  router_settings: fc.oneof(section, anything),
  general_settings: section,
  credential_list: anything,
})

test('whatever stands in a file, what it becomes is accepted', () => {
  fc.assert(
    fc.property(settings, (given) => {
      const { yaml, report } = importLitellmConfig(stringify(given), 'config.yaml')
      const fields = report.map(({ field }) => field)
      expect(fields).toEqual([...new Set(fields)])
      const referred = [...yaml.matchAll(/\$\{(\w+)\}/g)].map(([, one = '']) => one)
      const variables = Object.fromEntries(referred.map((one) => [one, 'https://v.example']))
      parseConfig(yaml, 'sluice.yaml', variables)
    }),
  )
})
