import type { OwnRow } from './price.ts'
import {
  anthropicPricing,
  bedrockPricing,
  geminiPricing,
  type ListedRow,
  openaiPricing,
  pricePage,
} from './price-page.ts'
import { toolRows } from './tool-rows.ts'

/** With another price for requests that have more input tokens than `above`. */
const long = (usd: number, above: number, usdAbove: number) => ({
  usd,
  tiers: [{ above, usd: usdAbove }],
})

/** xAI's prices for requests with more than 128,000 tokens of input. */
const xaiLong = (usd: number, above: number) => long(usd, 128_000, above)

/** Claude Haiku 5.5's prices for prompts up to and above 100,000 tokens. */
const haiku = (usd: number) => long(usd, 100_000, usd * 5)

/** Alibaba's tiers: up to 32 K input tokens, up to 128 K, and above. */
const alibaba = (usd: number, above32: number, above128: number) => ({
  usd,
  tiers: [
    { above: 32_768, usd: above32 },
    { above: 131_072, usd: above128 },
  ],
})

/** Veo's prices by resolution. Without a requested size the first applies, which is 720p. */
const veo = (p720: number, p1080: number, p2160?: number): NonNullable<ListedRow['bySize']> => ({
  videoSecond: {
    '1280x720': p720,
    '720x1280': p720,
    '1920x1080': p1080,
    '1080x1920': p1080,
    ...(p2160 !== undefined && { '3840x2160': p2160, '2160x3840': p2160 }),
  },
})

/** Fast mode was formerly called priority processing; requests and responses may use either name. */
const faster = (factor: number) => ({ priority: factor, fast: factor })

/** Factors for calls served at another tier, speed or place. Without a matching row the cost of such a call is unknown. */
const tierRows: readonly OwnRow[] = [
  // Flex processing costs as much as the Batch API, which is half of the standard price.
  ...pricePage('openai', openaiPricing, {
    '2025-11-02': [{ models: '*', serviceTiers: { flex: 0.5 } }],
  }),
  ...pricePage('openai', 'https://openai.com/api-fast-mode/', {
    '2026-11-24': [
      {
        models:
          'gpt-5 gpt-5-20* gpt-5-codex gpt-5.1 gpt-5.1-20* gpt-5.1-codex gpt-5.2 gpt-5.2-20* gpt-5.4 gpt-5.4-20* gpt-5.4-mini* gpt-5.6-sol* gpt-5.6-terra* gpt-5.6-luna*',
        serviceTiers: faster(2),
      },
      { models: 'gpt-5-mini*', serviceTiers: faster(1.8) },
      { models: 'gpt-4.1 gpt-4.1-20*', serviceTiers: faster(1.75) },
      { models: 'gpt-5.5 gpt-5.5-20*', serviceTiers: faster(2.5) },
    ],
  }),
  ...pricePage('openai', 'https://openai.com/api-priority-processing/', {
    '2025-11-02': [
      {
        models: 'gpt-4.1-mini gpt-4.1-mini-20* o3 o3-20* gpt-4o-2024-05-13',
        serviceTiers: faster(1.75),
      },
      { models: 'gpt-4.1-nano gpt-4.1-nano-20*', serviceTiers: faster(2) },
      { models: 'gpt-4o gpt-4o-2024-08-06 gpt-4o-2024-11-20', serviceTiers: faster(1.7) },
      // 0.25 for 0.15, and 2 for 1.1.
      { models: 'gpt-4o-mini gpt-4o-mini-20*', serviceTiers: faster(1.666667) },
      { models: 'o4-mini o4-mini-20*', serviceTiers: faster(1.818182) },
    ],
  }),
  // "Pricing matches the on-demand tier."
  ...pricePage('groq', 'https://console.groq.com/docs/flex-processing', {
    '2026-11-24': [{ models: '*', serviceTiers: { flex: 1 } }],
  }),
  // The models that both tiers are offered for; the price list has other prices for them alone.
  ...pricePage('amazon-bedrock', bedrockPricing, {
    '2026-09-01': [{ models: '*', serviceTiers: { flex: 0.5, priority: 1.75 } }],
  }),
  // The factor for priority is between 1.75 and 2, depending on the model ("75% to 100% more"), so it is unknown for others.
  ...pricePage('google', geminiPricing, {
    '2026-09-20': [{ models: 'gemini-2.5*', serviceTiers: { priority: 1.8 } }],
  }),
  ...pricePage('google', 'https://ai.google.dev/gemini-api/docs/optimization', {
    '2026-11-24': [{ models: '*', serviceTiers: { flex: 0.5 } }],
  }),
  // `us`: inference that stays in the United States.
  ...pricePage('anthropic', anthropicPricing, {
    '2026-11-24': [{ models: '*', serviceTiers: { batch: 0.5, us: 1.1 } }],
  }),
  ...pricePage('anthropic', 'https://platform.claude.com/docs/en/build-with-claude/fast-mode', {
    '2026-11-24': [
      { models: 'claude-opus-4-6* claude-opus-4-7*', serviceTiers: { fast: 6 } },
      { models: 'claude-opus-4-8* claude-opus-5 claude-opus-5-20*', serviceTiers: { fast: 2 } },
    ],
  }),
]

/** Prices that the library lacks or has as they were before. */
const correctedRows: readonly OwnRow[] = [
  ...pricePage('deepseek', 'https://api-docs.deepseek.com/quick_start/pricing', {
    '2025-09-05': [
      {
        models: 'deepseek-chat deepseek-reasoner',
        since: '2025-09-05T16:00',
        perMillion: { input: 0.56, cacheRead: 0.07, output: 1.68 },
      },
    ],
    '2026-04-13': [
      {
        models: 'deepseek-chat deepseek-reasoner',
        since: '2025-09-29',
        perMillion: { input: 0.28, cacheRead: 0.028, output: 0.42 },
      },
    ],
  }),
  ...pricePage('anthropic', anthropicPricing, {
    '2026-10-24': [
      // Cheaper to read from the cache than the library knows.
      { models: 'claude-sonnet-5-5', since: '2026-10-07', perMillion: { cacheRead: 0.1 } },
      {
        models: 'claude-haiku-5-5',
        perMillion: {
          input: haiku(0.1),
          cacheRead: haiku(0.01),
          cacheWrite: haiku(0.125),
          cacheWrite1h: haiku(0.2),
          output: haiku(0.5),
        },
      },
    ],
  }),
  ...pricePage('mistral', 'https://mistral.ai/pricing', {
    '2026-02-26': [
      // Large 3, to which the name leads.
      {
        models: 'mistral-large-latest mistral-large-2512',
        since: '2025-12-02',
        perMillion: { input: 0.5, output: 1.5 },
      },
    ],
  }),
  // The library has the price of the first version for it.
  ...pricePage('amazon-bedrock', bedrockPricing, {
    '2026-11-24': [{ models: 'amazon.titan-embed-text-v2:0', perMillion: { input: 0.02 } }],
  }),
  ...pricePage('xai', 'https://docs.x.ai/docs/models', {
    '2025-11-02': [
      {
        models: 'grok-4 grok-4-0709 grok-4-latest',
        perMillion: { input: xaiLong(3, 6), output: xaiLong(15, 30) },
      },
    ],
    '2025-11-22': [
      {
        models: 'grok-4-fast* grok-4-1-fast*',
        perMillion: { input: xaiLong(0.2, 0.4), output: xaiLong(0.5, 1) },
      },
    ],
  }),
  ...pricePage('zai', 'https://docs.z.ai/guides/overview/pricing', {
    '2025-11-02': [
      { models: 'glm-4.6 glm-4.5', perMillion: { input: 0.6, cacheRead: 0.11, output: 2.2 } },
      { models: 'glm-4.5-air', perMillion: { input: 0.2, cacheRead: 0.03, output: 1.1 } },
    ],
  }),
  // Models that OpenRouter offers free of charge.
  ...pricePage('openrouter', 'https://openrouter.ai/docs/faq', {
    '2026-11-24': [
      {
        models: '*:free openrouter/free',
        perMillion: { input: 0, output: 0, request: 0 },
      },
    ],
  }),
]

/**
 * Applied in order; each matching row adds its rates and overrides the library for the same ones. The source is the provider's
 * page. Rows of 2026-11-22 were compared with one or several copies of that page. Earlier rows were entered by hand and should
 * be compared before a bill depends on them. Models whose price was not found on any page, such as most of Jina's, have no row:
 * their cost is unknown.
 */
export const ownRows: readonly OwnRow[] = [
  ...tierRows,
  ...toolRows,
  ...correctedRows,
  ...pricePage('openai', openaiPricing, {
    '2025-11-02': [
      { models: 'omni-moderation* text-moderation*', each: { input: 0, output: 0, request: 0 } },
      {
        models: 'gpt-4o-audio-preview gpt-4o-audio-preview-2024-12-17 gpt-4o-audio-preview-2025*',
        perMillion: { audioInput: 40, audioOutput: 80 },
      },
      { models: 'gpt-4o-mini-audio-preview*', perMillion: { audioInput: 10, audioOutput: 20 } },
      {
        models: 'dall-e-3',
        bySize: {
          image: {
            '1024x1024 standard': 0.04,
            '1024x1792 standard': 0.08,
            '1792x1024 standard': 0.08,
            '1024x1024 hd': 0.08,
            '1024x1792 hd': 0.12,
            '1792x1024 hd': 0.12,
          },
        },
      },
      {
        models: 'dall-e-2',
        bySize: { image: { '1024x1024': 0.02, '512x512': 0.018, '256x256': 0.016 } },
      },
    ],
    '2026-11-22': [
      { models: 'tts-1 tts-1-1106', perMillion: { character: 15 } },
      { models: 'tts-1-hd*', perMillion: { character: 30 } },
      { models: 'gpt-4o-mini-tts*', perMillion: { input: 0.6, audioOutput: 12 } },
      { models: 'sora-2 sora-2-20*', each: { videoSecond: 0.1 } },
      {
        models: 'sora-2-pro*',
        bySize: {
          videoSecond: { '720x1280': 0.3, '1280x720': 0.3, '1024x1792': 0.5, '1792x1024': 0.5 },
        },
      },
    ],
  }),
  ...pricePage('google', geminiPricing, {
    '2026-11-22': [
      { models: 'imagen-4.0-fast-*', each: { image: 0.02 } },
      { models: 'imagen-4.0-ultra-*', each: { image: 0.06 } },
      { models: 'imagen-4.0-generate-*', each: { image: 0.04 } },
      { models: 'veo-3.1-generate-*', bySize: veo(0.4, 0.4, 0.6) },
      { models: 'veo-3.1-fast-generate-* veo-3.0-fast-*', bySize: veo(0.1, 0.12, 0.3) },
      { models: 'veo-3.1-lite-generate-*', bySize: veo(0.05, 0.08) },
      { models: 'veo-3.0-generate-*', each: { videoSecond: 0.4 } },
    ],
    '2025-11-02': [
      { models: 'imagen-3.0-generate-*', each: { image: 0.03 } },
      { models: 'veo-2.0-*', each: { videoSecond: 0.35 } },
    ],
  }),
  ...pricePage('elevenlabs', 'https://elevenlabs.io/pricing/api', {
    '2026-06-01': [
      { models: 'eleven_flash_* eleven_turbo_*', perThousand: { character: 0.05 } },
      { models: 'eleven_multilingual_v2 eleven_v3', perThousand: { character: 0.1 } },
      { models: 'scribe_v1 scribe_v2', perHour: { audioSecond: 0.22 } },
    ],
  }),
  ...pricePage('deepgram', 'https://deepgram.com/pricing', {
    '2026-11-22': [
      { models: 'nova-2*', perMinute: { audioSecond: 0.0043 } },
      // For whole files in one language; streams and files with several languages have other prices.
      { models: 'nova-3 nova-3-general', perMinute: { audioSecond: 0.0043 } },
      { models: 'aura-2-*', perThousand: { character: 0.03 } },
      { models: 'aura-asteria-* aura-luna-*', perThousand: { character: 0.015 } },
    ],
  }),
  ...pricePage('cohere', 'https://cohere.com/pricing', {
    '2026-11-22': [
      { models: 'rerank-v4.0-pro', perThousand: { searchUnit: 2.5 } },
      { models: 'rerank-v4.0-fast', perThousand: { searchUnit: 2 } },
    ],
    '2025-11-02': [
      {
        models: 'rerank-v3.5 rerank-english-v3.0 rerank-multilingual-v3.0',
        perThousand: { searchUnit: 2 },
      },
      { models: 'embed-english-v3.0 embed-multilingual-v3.0', perMillion: { input: 0.1 } },
      // Adds only the price for images; the library has that for texts.
      { models: 'embed-v4.0', perMillion: { input: 0.12, imageInput: 0.47 } },
    ],
  }),
  // As quoted from its response in https://github.com/BerriAI/litellm/pull/40569, for this model only.
  ...pricePage('jina', 'https://api.jina.ai/v1/models', {
    '2026-09-10': [{ models: 'jina-reranker-v2-base-multilingual', perMillion: { input: 0.05 } }],
  }),
  ...pricePage('amazon-bedrock', bedrockPricing, {
    '2025-11-02': [
      { models: 'cohere.rerank-v3-5:0', perThousand: { searchUnit: 2 } },
      { models: 'amazon.rerank-v1:0', perThousand: { searchUnit: 1 } },
    ],
  }),
  // By the context of the search, low where nothing is asked for; that pays for the searches.
  ...pricePage('perplexity', 'https://docs.perplexity.ai/getting-started/pricing', {
    '2025-11-02': [
      {
        models: 'sonar',
        bySize: { request: { low: 0.005, medium: 0.008, high: 0.012 } },
        tools: { web_search: 0 },
      },
      {
        models: 'sonar-pro sonar-reasoning-pro',
        bySize: { request: { low: 0.006, medium: 0.01, high: 0.014 } },
        tools: { web_search: 0 },
      },
    ],
  }),
  ...pricePage('voyage', 'https://docs.voyageai.com/docs/pricing', {
    '2026-11-22': [
      { models: 'rerank-3 rerank-2.5 rerank-2', perMillion: { input: 0.05 } },
      { models: 'rerank-3-lite rerank-2.5-lite rerank-2-lite', perMillion: { input: 0.02 } },
    ],
  }),
  ...pricePage('togetherai', 'https://www.together.ai/pricing', {
    '2025-11-02': [{ models: 'Salesforce/Llama-Rank-v1', perMillion: { input: 0.1 } }],
  }),
  ...pricePage('alibaba', 'https://www.alibabacloud.com/help/en/model-studio/model-pricing', {
    '2025-11-02': [
      {
        models: 'qwen3-max',
        perMillion: { input: alibaba(1.2, 2.4, 3), output: alibaba(6, 12, 15) },
      },
    ],
  }),
]
