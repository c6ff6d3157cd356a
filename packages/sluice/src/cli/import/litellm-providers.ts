import { providers } from '@sluice/gateway/providers/index.ts'

/** Which provider of the catalogue a prefix of LiteLLM's model ids means, or what else it means here. */
export interface PrefixRule {
  /** The provider of the catalogue; absent: a server with OpenAI's API. */
  readonly kind?: string
  /** Where LiteLLM finds it if a deployment has no `api_base`, if that is not the address in the catalogue. */
  readonly baseUrl?: string
  /** The variable with the key that LiteLLM reads if a deployment has no `api_key`. */
  readonly variable?: string
}

/**
 * The prefixes of LiteLLM's model ids (https://docs.litellm.ai/docs/providers). What is in neither this table nor recognized by
 * its address is reported.
 */
export const prefixRules: Readonly<Record<string, PrefixRule>> = {
  ai21: { kind: 'ai21', variable: 'AI21_API_KEY' },
  ai21_chat: { kind: 'ai21', variable: 'AI21_API_KEY' },
  aiohttp_openai: { variable: 'OPENAI_API_KEY' },
  anthropic: { kind: 'anthropic', variable: 'ANTHROPIC_API_KEY' },
  anthropic_text: { kind: 'anthropic', variable: 'ANTHROPIC_API_KEY' },
  azure: { kind: 'azure-openai', variable: 'AZURE_API_KEY' },
  azure_ai: { kind: 'azure-openai-v1', variable: 'AZURE_AI_API_KEY' },
  azure_text: { kind: 'azure-openai', variable: 'AZURE_API_KEY' },
  baseten: { kind: 'baseten', variable: 'BASETEN_API_KEY' },
  bedrock: { kind: 'amazon-bedrock' },
  bedrock_converse: { kind: 'amazon-bedrock' },
  cerebras: { kind: 'cerebras', variable: 'CEREBRAS_API_KEY' },
  chutes: { kind: 'chutes', variable: 'CHUTES_API_KEY' },
  cloudflare: { kind: 'cloudflare-workers-ai', variable: 'CLOUDFLARE_API_KEY' },
  codestral: {
    kind: 'mistral',
    baseUrl: 'https://codestral.mistral.ai/v1',
    variable: 'CODESTRAL_API_KEY',
  },
  cohere: { kind: 'cohere', variable: 'COHERE_API_KEY' },
  cohere_chat: { kind: 'cohere', variable: 'COHERE_API_KEY' },
  custom_openai: {},
  dashscope: { kind: 'alibaba', variable: 'DASHSCOPE_API_KEY' },
  databricks: { kind: 'databricks', variable: 'DATABRICKS_API_KEY' },
  deepgram: { kind: 'deepgram', variable: 'DEEPGRAM_API_KEY' },
  deepinfra: { kind: 'deepinfra', variable: 'DEEPINFRA_API_KEY' },
  deepseek: { kind: 'deepseek', variable: 'DEEPSEEK_API_KEY' },
  docker_model_runner: { baseUrl: 'http://localhost:12434/engines/llama.cpp/v1' },
  elevenlabs: { kind: 'elevenlabs', variable: 'ELEVENLABS_API_KEY' },
  featherless_ai: { kind: 'featherless', variable: 'FEATHERLESS_AI_API_KEY' },
  fireworks_ai: { kind: 'fireworks', variable: 'FIREWORKS_API_KEY' },
  friendliai: { kind: 'friendli', variable: 'FRIENDLI_TOKEN' },
  gemini: { kind: 'google', variable: 'GEMINI_API_KEY' },
  github: { kind: 'github-models', variable: 'GITHUB_API_KEY' },
  groq: { kind: 'groq', variable: 'GROQ_API_KEY' },
  hosted_vllm: { kind: 'vllm', variable: 'HOSTED_VLLM_API_KEY' },
  huggingface: { kind: 'huggingface', variable: 'HUGGINGFACE_API_KEY' },
  hyperbolic: { kind: 'hyperbolic', variable: 'HYPERBOLIC_API_KEY' },
  inception: { kind: 'inception', variable: 'INCEPTION_API_KEY' },
  infinity: { kind: 'infinity', variable: 'INFINITY_API_KEY' },
  jina_ai: { kind: 'jina', variable: 'JINA_AI_API_KEY' },
  lambda_ai: { baseUrl: 'https://api.lambda.ai/v1', variable: 'LAMBDA_API_KEY' },
  litellm_proxy: { variable: 'LITELLM_PROXY_API_KEY' },
  llamafile: { baseUrl: 'http://127.0.0.1:8080/v1' },
  lm_studio: { kind: 'lmstudio', variable: 'LM_STUDIO_API_KEY' },
  meta_llama: { baseUrl: 'https://api.llama.com/compat/v1', variable: 'LLAMA_API_KEY' },
  minimax: { kind: 'minimax', variable: 'MINIMAX_API_KEY' },
  mistral: { kind: 'mistral', variable: 'MISTRAL_API_KEY' },
  moonshot: { kind: 'moonshotai', variable: 'MOONSHOT_API_KEY' },
  morph: { baseUrl: 'https://api.morphllm.com/v1', variable: 'MORPH_API_KEY' },
  nebius: { kind: 'nebius', variable: 'NEBIUS_API_KEY' },
  novita: { kind: 'novita', variable: 'NOVITA_API_KEY' },
  nscale: { baseUrl: 'https://inference.api.nscale.com/v1', variable: 'NSCALE_API_KEY' },
  nvidia_nim: { kind: 'nvidia', variable: 'NVIDIA_NIM_API_KEY' },
  ollama: { kind: 'ollama' },
  ollama_chat: { kind: 'ollama' },
  openai: { kind: 'openai', variable: 'OPENAI_API_KEY' },
  openai_like: { variable: 'OPENAI_LIKE_API_KEY' },
  openrouter: { kind: 'openrouter', variable: 'OPENROUTER_API_KEY' },
  ovhcloud: { kind: 'ovhcloud', variable: 'OVHCLOUD_API_KEY' },
  perplexity: { kind: 'perplexity', variable: 'PERPLEXITYAI_API_KEY' },
  poe: { kind: 'poe', variable: 'POE_API_KEY' },
  sambanova: { kind: 'sambanova', variable: 'SAMBANOVA_API_KEY' },
  'text-completion-codestral': {
    kind: 'mistral',
    baseUrl: 'https://codestral.mistral.ai/v1',
    variable: 'CODESTRAL_API_KEY',
  },
  'text-completion-openai': { kind: 'openai', variable: 'OPENAI_API_KEY' },
  together_ai: { kind: 'togetherai', variable: 'TOGETHERAI_API_KEY' },
  v0: { baseUrl: 'https://api.v0.dev/v1', variable: 'V0_API_KEY' },
  veniceai: { kind: 'venice', variable: 'VENICE_AI_API_KEY' },
  vercel_ai_gateway: { kind: 'vercel', variable: 'VERCEL_AI_GATEWAY_API_KEY' },
  vertex_ai: { kind: 'google-vertex' },
  vertex_ai_beta: { kind: 'google-vertex' },
  vllm: { kind: 'vllm' },
  volcengine: { kind: 'volcengine', variable: 'VOLCENGINE_API_KEY' },
  voyage: { kind: 'voyage', variable: 'VOYAGE_API_KEY' },
  wandb: { kind: 'wandb', variable: 'WANDB_API_KEY' },
  xai: { kind: 'xai', variable: 'XAI_API_KEY' },
  xinference: { kind: 'xinference', variable: 'XINFERENCE_API_KEY' },
  zai: { kind: 'zai', variable: 'ZAI_API_KEY' },
}

/** Ids without a prefix, as LiteLLM recognizes them. */
const bareNames: readonly (readonly [pattern: RegExp, prefix: string])[] = [
  [/^claude-/, 'anthropic'],
  [/^(?:gemini-|text-bison|chat-bison|text-embedding-00|multimodalembedding)/, 'vertex_ai'],
  [/^command-|^(?:embed|rerank)-(?:english|multilingual|v)/, 'cohere'],
  [/^(?:anthropic|amazon|meta|mistral|cohere|ai21)\.[\w.-]+:\d/, 'bedrock'],
  [
    /^(?:ft:)?(?:gpt-|chatgpt-|o\d|text-embedding-|text-moderation-|omni-moderation|dall-e-|whisper-|tts-|davinci|babbage|codex-|computer-use|sora-)/,
    'openai',
  ],
]

/** The prefix of an id and its rest; the whole id as the rest where LiteLLM knows it without one. */
export function splitModel(
  id: string,
  provider: string | undefined,
): { readonly prefix: string | undefined; readonly rest: string } {
  if (provider !== undefined)
    return {
      prefix: provider,
      rest: id.startsWith(`${provider}/`) ? id.slice(provider.length + 1) : id,
    }
  const slash = id.indexOf('/')
  const first = id.slice(0, Math.max(0, slash))
  if (Object.hasOwn(prefixRules, first)) return { prefix: first, rest: id.slice(slash + 1) }
  const [, known] = bareNames.find(([pattern]) => pattern.test(id)) ?? []
  return known === undefined
    ? { prefix: slash > 0 ? first : undefined, rest: slash > 0 ? id.slice(slash + 1) : id }
    : { prefix: known, rest: id }
}

/** Providers of the catalogue by the hosts of their own addresses, for deployments that name an address alone. */
const kindsByHost: ReadonlyMap<string, string> = new Map(
  [...providers.values()]
    .filter(({ baseUrl, local }) => local !== true && !baseUrl.includes('{'))
    .map(({ id, baseUrl }) => [new URL(baseUrl).host, id] as const)
    // Of several with one host, the first.
    .toReversed(),
)

/** The provider of the catalogue whose own address has this host. */
export function kindAt(baseUrl: string): string | undefined {
  return URL.canParse(baseUrl) ? kindsByHost.get(new URL(baseUrl).host) : undefined
}
