/**
 * Well-known model names that existing programs request, and the built-in model that answers each while no other provider is
 * configured. `builtin.aliases` in sluice.yaml replaces the table.
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
  'claude-3-5-sonnet-latest': 'builtin-chat',
  'claude-sonnet-4-5': 'builtin-chat',
  'gemini-2.0-flash': 'builtin-chat',
  'gemini-2.5-flash': 'builtin-chat',
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

  'qwen-image-edit': 'builtin-image',
  'qwen-image-edit-plus': 'builtin-image',
  'gpt-image-1': 'builtin-image',
  'dall-e-2': 'builtin-image',
  'dall-e-3': 'builtin-image',

  'tts-1': 'builtin-speech',
  'tts-1-hd': 'builtin-speech',
  'gpt-4o-mini-tts': 'builtin-speech',

  'sora-2': 'builtin-video',
  'sora-2-pro': 'builtin-video',
}
