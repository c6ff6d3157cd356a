/**
 * The models that a provider has retired or has announced to retire, each with its last day's date (YYYY-MM-DD, UTC). A model
 * that is not listed has no announced end.
 */
export type Retirements = ReadonlyMap<string, string>

/** From the date to the names, separated by white space. */
function retired(byDate: Readonly<Record<string, string>>): Retirements {
  return new Map(
    Object.entries(byDate).flatMap(([date, names]) =>
      names
        .trim()
        .split(/\s+/)
        .map((name) => [name, date] as const),
    ),
  )
}

/** https://developers.openai.com/api/docs/deprecations, and the types of OpenAI’s SDK 7.59. */
export const openaiRetirements = retired({
  '2024-09-13': 'gpt-3.5-turbo-0301 gpt-3.5-turbo-0613 gpt-3.5-turbo-16k gpt-3.5-turbo-16k-0613',
  '2024-12-06': 'gpt-4-vision-preview',
  '2025-06-06': 'gpt-4-32k gpt-4-32k-0314 gpt-4-32k-0613',
  '2025-07-14': 'gpt-4.5-preview gpt-4.5-preview-2025-02-27',
  '2025-07-28': 'o1-preview o1-preview-2024-09-12',
  '2025-10-10': 'gpt-4o-audio-preview-2024-10-01',
  '2025-10-27':
    'o1-mini o1-mini-2024-09-12 text-moderation-latest text-moderation-stable text-moderation-007',
  '2026-02-12': 'codex-mini-latest',
  '2026-02-17': 'chatgpt-4o-latest',
  '2026-03-26': 'gpt-4-0125-preview gpt-4-turbo-preview gpt-4-0314',
  '2026-05-07': `gpt-4o-audio-preview gpt-4o-audio-preview-2024-12-17 gpt-4o-audio-preview-2025-06-03
    gpt-4o-mini-audio-preview gpt-4o-mini-audio-preview-2024-12-17`,
  '2026-05-12': 'dall-e-2 dall-e-3',
  '2026-07-23': `computer-use-preview computer-use-preview-2025-03-11
    gpt-4o-mini-search-preview gpt-4o-mini-search-preview-2025-03-11
    gpt-4o-search-preview gpt-4o-search-preview-2025-03-11 gpt-4o-mini-tts-2025-03-20
    gpt-5-chat-latest gpt-5-codex gpt-5.1-chat-latest gpt-5.1-codex gpt-5.1-codex-max
    gpt-5.1-codex-mini gpt-5.2-codex gpt-audio-mini-2025-10-06 gpt-realtime-mini-2025-10-06
    o3-deep-research o3-deep-research-2025-06-26
    o4-mini-deep-research o4-mini-deep-research-2025-06-26`,
  '2026-08-10': 'gpt-5.2-chat-latest gpt-5.3-chat-latest',
  '2026-09-24': 'sora-2 sora-2-2025-10-06 sora-2-2025-12-08 sora-2-pro sora-2-pro-2025-10-06',
  '2026-09-28': 'gpt-3.5-turbo-instruct gpt-3.5-turbo-1106 babbage-002 davinci-002',
  '2026-10-23': `gpt-3.5-turbo gpt-3.5-turbo-0125 gpt-4 gpt-4-0613 gpt-4-1106-preview
    gpt-4-turbo gpt-4-turbo-2024-04-09 gpt-4.1-nano gpt-4.1-nano-2025-04-14 gpt-4o-2024-05-13
    gpt-image-1 o1 o1-2024-12-17 o1-pro o1-pro-2025-03-19 o3-mini o3-mini-2025-01-31
    o4-mini o4-mini-2025-04-16`,
  '2026-12-01': 'gpt-image-1-mini gpt-image-1.5 gpt-image-1.5-2025-12-16 chatgpt-image-latest',
  '2026-12-11': `gpt-5 gpt-5-2025-08-07 gpt-5-mini gpt-5-mini-2025-08-07 gpt-5-nano
    gpt-5-nano-2025-08-07 gpt-5-pro gpt-5-pro-2025-10-06 o3 o3-2025-04-16 o3-pro o3-pro-2025-06-10`,
  '2027-01-06': 'tts-1 tts-1-hd gpt-4o-mini-tts gpt-4o-mini-tts-2025-12-15',
  '2027-01-14': `gpt-4.1 gpt-4.1-2025-04-14 gpt-4.1-mini gpt-4.1-mini-2025-04-14 gpt-4o
    gpt-4o-2024-08-06 gpt-4o-2024-11-20 gpt-4o-mini gpt-4o-mini-2024-07-18`,
  '2027-01-20': `gpt-audio-mini gpt-audio-mini-2025-12-15 gpt-realtime gpt-realtime-2025-08-28
    gpt-realtime-mini gpt-realtime-mini-2025-12-15`,
  '2027-02-26': `whisper-1 gpt-4o-transcribe gpt-4o-transcribe-diarize gpt-4o-mini-transcribe
    gpt-4o-mini-transcribe-2025-12-15`,
  '2027-04-01': 'gpt-5.1 gpt-5.1-2025-11-13 gpt-5.4-nano gpt-5.4-nano-2026-03-17 gpt-5.3-codex',
})

/**
 * https://platform.claude.com/docs/en/about-claude/model-deprecations, and Anthropic's SDK 1.14. Amazon
 * Bedrock and Google Cloud have dates of their own.
 */
export const anthropicRetirements = retired({
  '2024-11-06':
    'claude-1.0 claude-1.1 claude-1.2 claude-1.3 claude-instant-1.0 claude-instant-1.1 claude-instant-1.2',
  '2025-07-21': 'claude-2.0 claude-2.1 claude-3-sonnet-20240229',
  '2025-10-28': 'claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022 claude-3-5-sonnet-latest',
  '2026-01-05': 'claude-3-opus-20240229 claude-3-opus-latest',
  '2026-02-19': `claude-3-5-haiku-20241022 claude-3-5-haiku-latest
    claude-3-7-sonnet-20250219 claude-3-7-sonnet-latest`,
  '2026-04-20': 'claude-3-haiku-20240307',
  '2026-06-15': 'claude-sonnet-4-0 claude-sonnet-4-20250514 claude-opus-4-0 claude-opus-4-20250514',
  '2026-06-30': 'claude-mythos-preview',
  '2026-08-05': 'claude-opus-4-1 claude-opus-4-1-20250805',
  '2026-11-30': 'claude-sonnet-4-5 claude-sonnet-4-5-20250929',
  '2027-01-22': 'claude-opus-4-5 claude-opus-4-5-20251101',
})

/** https://ai.google.dev/gemini-api/docs/deprecations. Dates that are only the earliest possible are not listed. */
export const googleRetirements = retired({
  '2025-09-29':
    'gemini-1.5-pro gemini-1.5-pro-002 gemini-1.5-flash gemini-1.5-flash-002 gemini-1.5-flash-8b',
  '2025-11-10': 'imagen-3.0-generate-002',
  '2025-11-18': 'gemini-2.5-flash-preview-05-20',
  '2025-12-02':
    'gemini-2.5-pro-preview-03-25 gemini-2.5-pro-preview-05-06 gemini-2.5-pro-preview-06-05',
  '2025-12-09': 'gemini-2.0-flash-live-001 gemini-live-2.5-flash-preview',
  '2026-01-14': 'text-embedding-004',
  '2026-01-15': 'gemini-2.5-flash-image-preview',
  '2026-02-17': 'gemini-2.5-flash-preview-09-2025',
  '2026-03-09': 'gemini-3-pro-preview',
  '2026-05-25': 'gemini-3.1-flash-lite-preview',
  '2026-06-01':
    'gemini-2.0-flash gemini-2.0-flash-001 gemini-2.0-flash-lite gemini-2.0-flash-lite-001',
  '2026-06-25': 'gemini-3-pro-image-preview gemini-3.1-flash-image-preview',
  '2026-06-30': 'veo-2.0-generate-001 veo-3.0-generate-001 veo-3.0-fast-generate-001',
  '2026-08-17':
    'imagen-4.0-generate-001 imagen-4.0-ultra-generate-001 imagen-4.0-fast-generate-001',
  '2026-09-30': 'gemini-omni-flash-preview',
  '2026-12-01': 'gemini-2.5-pro gemini-2.5-flash',
})
