import type { OwnRow } from './price.ts'
import { anthropicPricing, geminiPricing, openaiPricing, pricePage } from './price-page.ts'

/**
 * Tools that providers run, by their names in usage: priced, or free (0). The cost of a call that used another tool is unknown;
 * so it is with containers (`code_execution`, `shell`), which are paid for by time, and with drawn pictures
 * (`image_generation`), which another model makes. Free quotas are not known here: what they cover is counted at its price.
 */
export const toolRows: readonly OwnRow[] = [
  ...pricePage(['openai', 'azure-openai', 'azure-openai-v1'], openaiPricing, {
    '2026-03-12': [
      {
        models: '*',
        tools: {
          web_search: 0.01,
          web_search_preview: 0.01,
          // Pages that a search opens cost nothing of their own, nor do MCP servers and the search for tools.
          web_fetch: 0,
          file_search: 0.0025,
          mcp: 0,
          tool_search: 0,
        },
      },
      // With models that do not reason, the earlier version of the search costs more; what it finds is free.
      { models: 'gpt-4o* gpt-4.1* chatgpt-4o*', tools: { web_search_preview: 0.025 } },
      // These search once for each request, which no field of the response says.
      {
        models: 'gpt-4o-search-preview* gpt-4o-mini-search-preview*',
        perThousand: { request: 25 },
      },
    ],
  }),
  ...pricePage('google', geminiPricing, {
    '2026-09-20': [
      // What tools add to the prompt is counted as tokens.
      { models: '*', tools: { web_fetch: 0, code_execution: 0, file_search: 0 } },
      // For each grounded prompt, however many queries it made.
      {
        models: 'gemini-2*',
        tools: {
          web_search: { usd: 0.035, per: 'request' },
          google_maps: { usd: 0.025, per: 'request' },
        },
      },
      // For each query.
      { models: 'gemini-3*', tools: { web_search: 0.014 } },
    ],
  }),
  // "Web fetch is available at no additional cost": what it reads is billed as tokens.
  ...pricePage('anthropic', anthropicPricing, {
    '2026-05-22': [{ models: '*', tools: { web_fetch: 0, tool_search: 0, mcp: 0 } }],
  }),
  ...pricePage('xai', 'https://docs.x.ai/developers/pricing', {
    '2026-11-22': [
      {
        models: '*',
        tools: {
          web_search: 0.005,
          x_search: 0.005,
          code_execution: 0.005,
          code_interpreter: 0.005,
          attachment_search: 0.01,
          collections_search: 0.0025,
          file_search: 0.0025,
        },
      },
    ],
    // Sources of the search that came before tools; the page has no price for them any more.
    '2025-11-02': [{ models: '*', tools: { source: 0.025 } }],
  }),
]
