import { isObject, listOf, objectOf } from '@sluice/contract'

const here =
  'Here a provider stands under providers and has its key as ${NAME}, and a model name stands under models: "providers: { openai: { key: ${OPENAI_API_KEY} } }" and "models: { fast: openai/gpt-6-luna }"'

/** Programs whose settings are sometimes given instead, and how to recognize them. */
const programs: readonly (readonly [
  name: string,
  settings: readonly string[],
  translation: string,
])[] = [
  [
    'LiteLLM',
    ['model_list', 'litellm_settings', 'general_settings', 'router_settings'],
    'It is translated by: sluice import litellm config.yaml',
  ],
  ['Portkey', ['strategy', 'targets', 'virtual_key', 'override_params'], here],
  [
    'Bifrost',
    ['config_store', 'logs_store', 'vector_store', 'network_config', 'encryption_key'],
    here,
  ],
]

/** Says which program's settings these are, and how the same is written here; undefined if they are of no known program. */
export function foreignFile(
  settings: unknown,
): { readonly name: string; readonly problem: string } | undefined {
  if (!isObject(settings)) return undefined
  for (const [program, names, translation] of programs) {
    const name = names.find((one) => one in settings)
    if (name !== undefined) return { name, problem: problemOf(program, translation) }
  }
  const isBifrost = Object.values(objectOf(settings['providers'])).some((provider) =>
    listOf(objectOf(provider)['keys']).some((key) => isObject(key) && 'value' in key),
  )
  return isBifrost ? { name: 'providers', problem: problemOf('Bifrost', here) } : undefined
}

function problemOf(program: string, translation: string): string {
  return `belongs to a ${program} configuration, and this file must be one of Sluice. ${translation}`
}
