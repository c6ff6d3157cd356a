import type { OwnRow } from './price.ts'

const openai = { provider: 'openai', rates: {}, source: 'https://openai.com/api-fast-mode/' }
const fastMode = {
  provider: 'anthropic',
  rates: {},
  source: 'https://platform.claude.com/docs/en/build-with-claude/fast-mode',
}

/** Fast mode was formerly called priority processing; requests and responses may use either name. */
const faster = (factor: number) => ({ priority: factor, fast: factor })

/** Factors for calls served at another tier, speed or place. Without a matching row the cost of such a call is unknown. */
export const tierRows: readonly OwnRow[] = [
  // Flex processing costs as much as the Batch API, which is half of the standard price.
  {
    ...openai,
    source: 'https://platform.openai.com/docs/pricing',
    models: ['*'],
    serviceTiers: { flex: 0.5 },
    date: '2025-11-02',
  },
  {
    ...openai,
    models: [
      'gpt-5',
      'gpt-5-20*',
      'gpt-5-codex',
      'gpt-5.1',
      'gpt-5.1-20*',
      'gpt-5.1-codex',
      'gpt-5.2',
      'gpt-5.2-20*',
      'gpt-5.4',
      'gpt-5.4-20*',
      'gpt-5.4-mini*',
      'gpt-5.6-sol*',
      'gpt-5.6-terra*',
      'gpt-5.6-luna*',
    ],
    serviceTiers: faster(2),
    date: '2026-11-24',
  },
  { ...openai, models: ['gpt-5-mini*'], serviceTiers: faster(1.8), date: '2026-11-24' },
  {
    ...openai,
    models: ['gpt-4.1', 'gpt-4.1-20*'],
    serviceTiers: faster(1.75),
    date: '2026-11-24',
  },
  {
    ...openai,
    models: ['gpt-5.5', 'gpt-5.5-20*'],
    serviceTiers: faster(2.5),
    date: '2026-11-24',
  },
  {
    ...openai,
    source: 'https://openai.com/api-priority-processing/',
    models: ['gpt-4.1-mini', 'gpt-4.1-mini-20*', 'o3', 'o3-20*', 'gpt-4o-2024-05-13'],
    serviceTiers: faster(1.75),
    date: '2025-11-02',
  },
  {
    ...openai,
    source: 'https://openai.com/api-priority-processing/',
    models: ['gpt-4.1-nano', 'gpt-4.1-nano-20*'],
    serviceTiers: faster(2),
    date: '2025-11-02',
  },
  {
    ...openai,
    source: 'https://openai.com/api-priority-processing/',
    models: ['gpt-4o', 'gpt-4o-2024-08-06', 'gpt-4o-2024-11-20'],
    serviceTiers: faster(1.7),
    date: '2025-11-02',
  },
  // 0.25 for 0.15, and 2 for 1.1.
  {
    ...openai,
    source: 'https://openai.com/api-priority-processing/',
    models: ['gpt-4o-mini', 'gpt-4o-mini-20*'],
    serviceTiers: faster(1.666667),
    date: '2025-11-02',
  },
  {
    ...openai,
    source: 'https://openai.com/api-priority-processing/',
    models: ['o4-mini', 'o4-mini-20*'],
    serviceTiers: faster(1.818182),
    date: '2025-11-02',
  },
  // "Pricing matches the on-demand tier."
  {
    provider: 'groq',
    source: 'https://console.groq.com/docs/flex-processing',
    models: ['*'],
    rates: {},
    serviceTiers: { flex: 1 },
    date: '2026-11-24',
  },
  // The models that both tiers are offered for; the price list has other prices for them alone.
  {
    provider: 'amazon-bedrock',
    source: 'https://aws.amazon.com/bedrock/pricing/',
    models: ['*'],
    rates: {},
    serviceTiers: { flex: 0.5, priority: 1.75 },
    date: '2026-09-01',
  },
  // The factor for priority is between 1.75 and 2, depending on the model ("75% to 100% more"), so it is unknown for others.
  {
    provider: 'google',
    source: 'https://ai.google.dev/gemini-api/docs/pricing',
    models: ['gemini-2.5*'],
    rates: {},
    serviceTiers: { priority: 1.8 },
    date: '2026-09-20',
  },
  {
    provider: 'google',
    source: 'https://ai.google.dev/gemini-api/docs/optimization',
    models: ['*'],
    rates: {},
    serviceTiers: { flex: 0.5 },
    date: '2026-11-24',
  },
  // `us`: inference that stays in the United States.
  {
    provider: 'anthropic',
    source: 'https://platform.claude.com/docs/en/about-claude/pricing',
    models: ['*'],
    rates: {},
    serviceTiers: { batch: 0.5, us: 1.1 },
    date: '2026-11-24',
  },
  {
    ...fastMode,
    models: ['claude-opus-4-6*', 'claude-opus-4-7*'],
    serviceTiers: { fast: 6 },
    date: '2026-11-24',
  },
  {
    ...fastMode,
    models: ['claude-opus-4-8*', 'claude-opus-5', 'claude-opus-5-20*'],
    serviceTiers: { fast: 2 },
    date: '2026-11-24',
  },
]
