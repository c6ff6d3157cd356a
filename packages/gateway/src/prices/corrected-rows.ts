import type { OwnRow, RateInput } from './price.ts'

const perMillion = (usd: number): RateInput => ({ usd, per: 1_000_000 })

/** xAI's prices for requests with more than 128,000 tokens of input. */
const long = (usd: number, above: number): RateInput => ({
  ...perMillion(usd),
  tiers: [{ above: 128_000, usd: above }],
})

/** Claude Haiku 5.5's prices for prompts up to and above 100,000 tokens. */
const haiku = (usd: number): RateInput => ({
  ...perMillion(usd),
  tiers: [{ above: 100_000, usd: usd * 5 }],
})

/** Prices that the library lacks or has as they were before. */
export const correctedRows: readonly OwnRow[] = [
  {
    provider: 'deepseek',
    source: 'https://api-docs.deepseek.com/quick_start/pricing',
    models: ['deepseek-chat', 'deepseek-reasoner'],
    since: '2025-09-05T16:00',
    rates: { input: perMillion(0.56), cacheRead: perMillion(0.07), output: perMillion(1.68) },
    date: '2025-09-05',
  },
  {
    provider: 'deepseek',
    source: 'https://api-docs.deepseek.com/quick_start/pricing',
    models: ['deepseek-chat', 'deepseek-reasoner'],
    since: '2025-09-29',
    rates: { input: perMillion(0.28), cacheRead: perMillion(0.028), output: perMillion(0.42) },
    date: '2026-04-13',
  },
  // Cheaper to read from the cache than the library knows.
  {
    provider: 'anthropic',
    source: 'https://platform.claude.com/docs/en/about-claude/pricing',
    models: ['claude-sonnet-5-5'],
    since: '2026-10-07',
    rates: { cacheRead: perMillion(0.1) },
    date: '2026-10-24',
  },
  {
    provider: 'anthropic',
    source: 'https://platform.claude.com/docs/en/about-claude/pricing',
    models: ['claude-haiku-5-5'],
    rates: {
      input: haiku(0.1),
      cacheRead: haiku(0.01),
      cacheWrite: haiku(0.125),
      cacheWrite1h: haiku(0.2),
      output: haiku(0.5),
    },
    date: '2026-10-24',
  },
  // Large 3, to which the name leads.
  {
    provider: 'mistral',
    source: 'https://mistral.ai/pricing',
    models: ['mistral-large-latest', 'mistral-large-2512'],
    since: '2025-12-02',
    rates: { input: perMillion(0.5), output: perMillion(1.5) },
    date: '2026-02-26',
  },
  // The library has the price of the first version for it.
  {
    provider: 'amazon-bedrock',
    source: 'https://aws.amazon.com/bedrock/pricing/',
    models: ['amazon.titan-embed-text-v2:0'],
    rates: { input: perMillion(0.02) },
    date: '2026-11-24',
  },
  {
    provider: 'xai',
    source: 'https://docs.x.ai/docs/models',
    models: ['grok-4', 'grok-4-0709', 'grok-4-latest'],
    rates: { input: long(3, 6), output: long(15, 30) },
    date: '2025-11-02',
  },
  {
    provider: 'xai',
    source: 'https://docs.x.ai/docs/models',
    models: ['grok-4-fast*', 'grok-4-1-fast*'],
    rates: { input: long(0.2, 0.4), output: long(0.5, 1) },
    date: '2025-11-22',
  },
  {
    provider: 'zai',
    source: 'https://docs.z.ai/guides/overview/pricing',
    models: ['glm-4.6', 'glm-4.5'],
    rates: { input: perMillion(0.6), cacheRead: perMillion(0.11), output: perMillion(2.2) },
    date: '2025-11-02',
  },
  {
    provider: 'zai',
    source: 'https://docs.z.ai/guides/overview/pricing',
    models: ['glm-4.5-air'],
    rates: { input: perMillion(0.2), cacheRead: perMillion(0.03), output: perMillion(1.1) },
    date: '2025-11-02',
  },
  // Models that OpenRouter offers free of charge.
  {
    provider: 'openrouter',
    source: 'https://openrouter.ai/docs/faq',
    models: ['*:free', 'openrouter/free'],
    rates: { input: perMillion(0), output: perMillion(0), request: perMillion(0) },
    date: '2026-11-24',
  },
]
