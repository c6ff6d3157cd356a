import { correctedRows } from './corrected-rows.ts'
import type { OwnRow, RateInput, VariantInput } from './price.ts'
import { tierRows } from './tier-rows.ts'
import { toolRows } from './tool-rows.ts'

const perMillion = (usd: number): RateInput => ({ usd, per: 1_000_000 })
const perHour = (usd: number): RateInput => ({ usd, per: 3_600 })
const perMinute = (usd: number): RateInput => ({ usd, per: 60 })
const perThousand = (usd: number): RateInput => ({ usd, per: 1_000 })
const each = (usd: number): RateInput => ({ usd, per: 1 })

const image = (size: string, usd: number, quality?: string): VariantInput => ({
  unit: 'image',
  size,
  usd,
  ...(quality !== undefined && { quality }),
})

const search = (size: string, usd: number): VariantInput => ({ unit: 'request', size, usd })

/** Alibaba's tiers: up to 32 K input tokens, up to 128 K, and above. */
const tiered = (usd: number, above32: number, above128: number): RateInput => ({
  ...perMillion(usd),
  tiers: [
    { above: 32_768, usd: above32 },
    { above: 131_072, usd: above128 },
  ],
})

const second = (size: string, usd: number): VariantInput => ({ unit: 'videoSecond', size, usd })

/** Veo's prices by resolution. Without a requested size the first applies, which is 720p. */
const byResolution = (p720: number, p1080: number, p2160?: number): readonly VariantInput[] => [
  ...['1280x720', '720x1280'].map((size) => second(size, p720)),
  ...['1920x1080', '1080x1920'].map((size) => second(size, p1080)),
  ...(p2160 === undefined ? [] : ['3840x2160', '2160x3840'].map((size) => second(size, p2160))),
]

const openai = { provider: 'openai', source: 'https://platform.openai.com/docs/pricing' }
const google = { provider: 'google', source: 'https://ai.google.dev/gemini-api/docs/pricing' }
const elevenlabs = { provider: 'elevenlabs', source: 'https://elevenlabs.io/pricing/api' }
const deepgram = { provider: 'deepgram', source: 'https://deepgram.com/pricing' }
const cohere = { provider: 'cohere', source: 'https://cohere.com/pricing' }
const perplexity = {
  provider: 'perplexity',
  source: 'https://docs.perplexity.ai/getting-started/pricing',
}

/**
 * Applied in order; each matching row adds its rates and overrides the library for the same ones. `source` is the provider's
 * page. Rows of 2026-11-22 were compared with one or several copies of that page. Earlier rows were entered by hand and should
 * be compared before a bill depends on them. Models whose price was not found on any page, such as most of Jina's, have no row:
 * their cost is unknown.
 */
export const ownRows: readonly OwnRow[] = [
  ...tierRows,
  ...toolRows,
  ...correctedRows,
  {
    ...openai,
    models: ['omni-moderation*', 'text-moderation*'],
    rates: { input: each(0), output: each(0), request: each(0) },
    date: '2025-11-02',
  },
  {
    ...openai,
    models: ['tts-1', 'tts-1-1106'],
    rates: { character: perMillion(15) },
    date: '2026-11-22',
  },
  { ...openai, models: ['tts-1-hd*'], rates: { character: perMillion(30) }, date: '2026-11-22' },
  {
    ...openai,
    models: ['gpt-4o-mini-tts*'],
    rates: { input: perMillion(0.6), audioOutput: perMillion(12) },
    date: '2026-11-22',
  },
  {
    ...openai,
    models: [
      'gpt-4o-audio-preview',
      'gpt-4o-audio-preview-2024-12-17',
      'gpt-4o-audio-preview-2025*',
    ],
    rates: { audioInput: perMillion(40), audioOutput: perMillion(80) },
    date: '2025-11-02',
  },
  {
    ...openai,
    models: ['gpt-4o-mini-audio-preview*'],
    rates: { audioInput: perMillion(10), audioOutput: perMillion(20) },
    date: '2025-11-02',
  },
  {
    ...openai,
    models: ['dall-e-3'],
    rates: {},
    variants: [
      image('1024x1024', 0.04, 'standard'),
      image('1024x1792', 0.08, 'standard'),
      image('1792x1024', 0.08, 'standard'),
      image('1024x1024', 0.08, 'hd'),
      image('1024x1792', 0.12, 'hd'),
      image('1792x1024', 0.12, 'hd'),
    ],
    date: '2025-11-02',
  },
  {
    ...openai,
    models: ['dall-e-2'],
    rates: {},
    variants: [image('1024x1024', 0.02), image('512x512', 0.018), image('256x256', 0.016)],
    date: '2025-11-02',
  },
  {
    ...openai,
    models: ['sora-2', 'sora-2-20*'],
    rates: { videoSecond: each(0.1) },
    date: '2026-11-22',
  },
  {
    ...openai,
    models: ['sora-2-pro*'],
    rates: {},
    variants: [
      second('720x1280', 0.3),
      second('1280x720', 0.3),
      second('1024x1792', 0.5),
      second('1792x1024', 0.5),
    ],
    date: '2026-11-22',
  },
  { ...google, models: ['imagen-4.0-fast-*'], rates: { image: each(0.02) }, date: '2026-11-22' },
  { ...google, models: ['imagen-4.0-ultra-*'], rates: { image: each(0.06) }, date: '2026-11-22' },
  {
    ...google,
    models: ['imagen-4.0-generate-*'],
    rates: { image: each(0.04) },
    date: '2026-11-22',
  },
  {
    ...google,
    models: ['imagen-3.0-generate-*'],
    rates: { image: each(0.03) },
    date: '2025-11-02',
  },
  {
    ...google,
    models: ['veo-3.1-generate-*'],
    rates: {},
    variants: byResolution(0.4, 0.4, 0.6),
    date: '2026-11-22',
  },
  {
    ...google,
    models: ['veo-3.1-fast-generate-*', 'veo-3.0-fast-*'],
    rates: {},
    variants: byResolution(0.1, 0.12, 0.3),
    date: '2026-11-22',
  },
  {
    ...google,
    models: ['veo-3.1-lite-generate-*'],
    rates: {},
    variants: byResolution(0.05, 0.08),
    date: '2026-11-22',
  },
  {
    ...google,
    models: ['veo-3.0-generate-*'],
    rates: { videoSecond: each(0.4) },
    date: '2026-11-22',
  },
  { ...google, models: ['veo-2.0-*'], rates: { videoSecond: each(0.35) }, date: '2025-11-02' },
  {
    ...elevenlabs,
    models: ['eleven_flash_*', 'eleven_turbo_*'],
    rates: { character: perThousand(0.05) },
    date: '2026-06-01',
  },
  {
    ...elevenlabs,
    models: ['eleven_multilingual_v2', 'eleven_v3'],
    rates: { character: perThousand(0.1) },
    date: '2026-06-01',
  },
  {
    ...elevenlabs,
    models: ['scribe_v1', 'scribe_v2'],
    rates: { audioSecond: perHour(0.22) },
    date: '2026-06-01',
  },
  {
    ...deepgram,
    models: ['nova-2*'],
    rates: { audioSecond: perMinute(0.0043) },
    date: '2026-11-22',
  },
  // For whole files in one language; streams and files with several languages have other prices.
  {
    ...deepgram,
    models: ['nova-3', 'nova-3-general'],
    rates: { audioSecond: perMinute(0.0043) },
    date: '2026-11-22',
  },
  {
    ...deepgram,
    models: ['aura-2-*'],
    rates: { character: perThousand(0.03) },
    date: '2026-11-22',
  },
  {
    ...deepgram,
    models: ['aura-asteria-*', 'aura-luna-*'],
    rates: { character: perThousand(0.015) },
    date: '2026-11-22',
  },
  {
    ...cohere,
    models: ['rerank-v4.0-pro'],
    rates: { searchUnit: perThousand(2.5) },
    date: '2026-11-22',
  },
  {
    ...cohere,
    models: ['rerank-v4.0-fast'],
    rates: { searchUnit: perThousand(2) },
    date: '2026-11-22',
  },
  {
    ...cohere,
    models: ['rerank-v3.5', 'rerank-english-v3.0', 'rerank-multilingual-v3.0'],
    rates: { searchUnit: perThousand(2) },
    date: '2025-11-02',
  },
  {
    ...cohere,
    models: ['embed-english-v3.0', 'embed-multilingual-v3.0'],
    rates: { input: perMillion(0.1) },
    date: '2025-11-02',
  },
  // Adds only the price for images; the library has that for texts.
  {
    ...cohere,
    models: ['embed-v4.0'],
    rates: { input: perMillion(0.12), imageInput: perMillion(0.47) },
    date: '2025-11-02',
  },
  // As quoted from its response in https://github.com/BerriAI/litellm/pull/40569, for this model only.
  {
    provider: 'jina',
    source: 'https://api.jina.ai/v1/models',
    models: ['jina-reranker-v2-base-multilingual'],
    rates: { input: perMillion(0.05) },
    date: '2026-09-10',
  },
  {
    provider: 'amazon-bedrock',
    source: 'https://aws.amazon.com/bedrock/pricing/',
    models: ['cohere.rerank-v3-5:0'],
    rates: { searchUnit: perThousand(2) },
    date: '2025-11-02',
  },
  {
    provider: 'amazon-bedrock',
    source: 'https://aws.amazon.com/bedrock/pricing/',
    models: ['amazon.rerank-v1:0'],
    rates: { searchUnit: perThousand(1) },
    date: '2025-11-02',
  },
  // By the context of the search, low where nothing is asked for; that pays for the searches.
  {
    ...perplexity,
    models: ['sonar'],
    rates: {},
    variants: [search('low', 0.005), search('medium', 0.008), search('high', 0.012)],
    tools: { web_search: 0 },
    date: '2025-11-02',
  },
  {
    ...perplexity,
    models: ['sonar-pro', 'sonar-reasoning-pro'],
    rates: {},
    variants: [search('low', 0.006), search('medium', 0.01), search('high', 0.014)],
    tools: { web_search: 0 },
    date: '2025-11-02',
  },
  {
    provider: 'voyage',
    source: 'https://docs.voyageai.com/docs/pricing',
    models: ['rerank-3', 'rerank-2.5', 'rerank-2'],
    rates: { input: perMillion(0.05) },
    date: '2026-11-22',
  },
  {
    provider: 'voyage',
    source: 'https://docs.voyageai.com/docs/pricing',
    models: ['rerank-3-lite', 'rerank-2.5-lite', 'rerank-2-lite'],
    rates: { input: perMillion(0.02) },
    date: '2026-11-22',
  },
  {
    provider: 'togetherai',
    source: 'https://www.together.ai/pricing',
    models: ['Salesforce/Llama-Rank-v1'],
    rates: { input: perMillion(0.1) },
    date: '2025-11-02',
  },
  {
    provider: 'alibaba',
    source: 'https://www.alibabacloud.com/help/en/model-studio/model-pricing',
    models: ['qwen3-max'],
    rates: { input: tiered(1.2, 2.4, 3), output: tiered(6, 12, 15) },
    date: '2025-11-02',
  },
]
