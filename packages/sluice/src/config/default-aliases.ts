import type { AliasFamily, AliasTable } from '@sluice/gateway/settings/alias-table.ts'

/** `aliases` are those of the settings. */
export function aliasTable(aliases: AliasTable['aliases'] | undefined): AliasTable {
  return aliases === undefined
    ? { aliases: defaultAliases, families: defaultFamilies }
    : { aliases, families: [] }
}

/**
 * Well-known model names that existing programs request, and the built-in model that answers each while no other provider is
 * configured. They are in the list of models. `builtin.aliases` in sluice.yaml replaces the table and the families.
 */
export const defaultAliases: Readonly<Record<string, string>> = {
  'gpt-3.5-turbo': 'builtin-chat',
  'gpt-3.5-turbo-instruct': 'builtin-chat',
  'gpt-4': 'builtin-chat',
  'gpt-4-turbo': 'builtin-chat',
  'gpt-4.1': 'builtin-chat',
  'gpt-4.1-mini': 'builtin-chat',
  'gpt-4.1-nano': 'builtin-chat',
  'gpt-4o': 'builtin-chat',
  'gpt-4o-mini': 'builtin-chat',
  'gpt-4o-audio-preview': 'builtin-chat',
  'gpt-5': 'builtin-chat',
  'gpt-5-mini': 'builtin-chat',
  'o3-mini': 'builtin-chat',
  'gpt-5.5': 'builtin-chat',
  'gpt-5.6-sol': 'builtin-chat',
  'gpt-5.6-terra': 'builtin-chat',
  'gpt-5.6-luna': 'builtin-chat',
  'gpt-6-sol': 'builtin-chat',
  'gpt-6-luna': 'builtin-chat',
  'claude-3-5-sonnet-latest': 'builtin-chat',
  'claude-sonnet-4-5': 'builtin-chat',
  'claude-haiku-4-5': 'builtin-chat',
  'claude-sonnet-5': 'builtin-chat',
  'claude-opus-5-5': 'builtin-chat',
  'claude-sonnet-5-5': 'builtin-chat',
  'claude-haiku-5-5': 'builtin-chat',
  'gemini-2.0-flash': 'builtin-chat',
  'gemini-2.5-flash': 'builtin-chat',
  'gemini-3.5-flash': 'builtin-chat',
  'gemini-3.5-flash-lite': 'builtin-chat',
  'gemini-3.8-flash': 'builtin-chat',
  'gemini-flash-latest': 'builtin-chat',
  'deepseek-chat': 'builtin-chat',
  'qwen-plus': 'builtin-chat',

  'text-embedding-3-small': 'builtin-embed',
  'text-embedding-3-large': 'builtin-embed',
  'text-embedding-ada-002': 'builtin-embed',
  'gemini-embedding-001': 'builtin-embed',

  'rerank-v3.5': 'builtin-rerank',
  'rerank-english-v3.0': 'builtin-rerank',
  'rerank-multilingual-v3.0': 'builtin-rerank',
  'jina-reranker-v2-base-multilingual': 'builtin-rerank',

  'omni-moderation-latest': 'builtin-moderate',
  'text-moderation-latest': 'builtin-moderate',

  'whisper-1': 'builtin-transcribe',
  'gpt-4o-transcribe': 'builtin-transcribe',
  'gpt-4o-mini-transcribe': 'builtin-transcribe',
  'gpt-transcribe': 'builtin-transcribe',

  'qwen-image-edit': 'builtin-image',
  'qwen-image-edit-plus': 'builtin-image',
  'gpt-image-1': 'builtin-image',
  'gpt-image-2': 'builtin-image',
  'gpt-image-2.6-flare': 'builtin-image',
  'gpt-image-2.6-sunburst': 'builtin-image',
  'dall-e-2': 'builtin-image',
  'dall-e-3': 'builtin-image',

  'tts-1': 'builtin-speech',
  'tts-1-hd': 'builtin-speech',
  'gpt-4o-mini-tts': 'builtin-speech',

  'sora-2': 'builtin-video',
  'sora-2-pro': 'builtin-video',
}

/** What follows the name of a maker or a line: a version, a size, a date. */
const version = '(?:[-.:\\d][\\w.:-]*)?'

/** Of chat models, by the names of their lines. */
const lines = [
  'gpt chatgpt codex o(?=\\d) claude gemini gemma qwen qwq grok deepseek kimi moonshot glm minimax MiniMax',
  'mistral ministral magistral codestral devstral mixtral pixtral llama command nova phi sonar',
]

/**
 * Forms of names for the models that are not in the table: older and newer ones, and those with a date. What a model is for is
 * in its name, so the lines of chat models come last. Google's models for pictures and speech are also asked by chats.
 */
const defaultFamilies: readonly AliasFamily[] = [
  { names: '[\\w.-]*moderation[\\w.-]*', models: ['builtin-moderate'] },
  { names: 'rerank[\\w.-]*|[\\w.-]*-rerank(?:er)?(?:[.-][\\w.-]*)?', models: ['builtin-rerank'] },
  {
    names: '[\\w.-]*embed(?:ding|dings)?(?:[.-][\\w.-]*)?|(?:voyage|bge|gte|e5)-[\\w.-]*',
    models: ['builtin-embed'],
  },
  {
    names: 'whisper[\\w.-]*|[\\w.-]*-(?:transcribe|asr)(?:-[\\w.-]*)?|scribe_[\\w.-]*',
    models: ['builtin-transcribe'],
  },
  { names: 'gemini-[\\w.-]*-tts(?:-[\\w.-]*)?', models: ['builtin-speech', 'builtin-chat'] },
  {
    names: 'tts-[\\w.-]*|[\\w.-]*-tts(?:-[\\w.-]*)?|eleven_[\\w.-]*',
    models: ['builtin-speech'],
  },
  { names: '(?:sora|veo|wan\\d)[\\w.-]*', models: ['builtin-video'] },
  { names: 'gemini-[\\w.-]*-image(?:-[\\w.-]*)?', models: ['builtin-image', 'builtin-chat'] },
  {
    names:
      '(?:dall-e|imagen|flux|gpt-image|chatgpt-image|qwen-image|grok-imagine|grok-\\d-image)[\\w.-]*',
    models: ['builtin-image'],
  },
  {
    names: `(?:${lines.join(' ').replaceAll(' ', '|')})${version}`,
    models: ['builtin-chat'],
  },
]
