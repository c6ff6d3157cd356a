import type { OperationName } from '@sluice/contract'

/** A model card of the built-in engine. Limits are in the engine's own tokens and are enforced. */
export interface EngineModel {
  readonly id: string
  readonly displayName: string
  readonly description: string
  readonly inputTokenLimit: number
  readonly outputTokenLimit: number
  readonly operations: readonly OperationName[]
}

/** What is known about the built-in engine without creating one. */
export interface EngineCard {
  /** The id of its provider in settings, targets and stored records. No other provider may have this id. */
  readonly id: string
  readonly models: readonly EngineModel[]
}

const honest = 'Classical algorithms in this process, no neural weights, no network.'

const models: readonly EngineModel[] = [
  {
    id: 'builtin-chat',
    displayName: 'Built-in chat',
    description: `Answers from the text it is given: facts, summaries, arithmetic, tools and JSON. ${honest}`,
    inputTokenLimit: 128_000,
    outputTokenLimit: 16_384,
    operations: ['chat', 'complete'],
  },
  {
    id: 'builtin-embed',
    displayName: 'Built-in embeddings',
    description: `Hashed word and character n-grams, L2-normalised. ${honest}`,
    inputTokenLimit: 8_192,
    outputTokenLimit: 0,
    operations: ['embed'],
  },
  {
    id: 'builtin-rerank',
    displayName: 'Built-in rerank',
    description: `BM25 with stemming, scores from 0 to 1. ${honest}`,
    inputTokenLimit: 128_000,
    outputTokenLimit: 0,
    operations: ['rerank'],
  },
  {
    id: 'builtin-moderate',
    displayName: 'Built-in moderation',
    description: `Lexicon and pattern rules for thirteen categories. ${honest}`,
    inputTokenLimit: 32_768,
    outputTokenLimit: 0,
    operations: ['moderate'],
  },
  {
    id: 'builtin-transcribe',
    displayName: 'Built-in transcription',
    description: `Finds sound, steady tones and silence with their times; it does not know words. ${honest}`,
    inputTokenLimit: 8_192,
    outputTokenLimit: 8_192,
    operations: ['transcribe', 'translate'],
  },
  {
    id: 'builtin-image',
    displayName: 'Built-in images',
    description: `Draws shapes and texts, does plain edits, and says what it left out. ${honest}`,
    inputTokenLimit: 32_000,
    outputTokenLimit: 0,
    operations: ['createImage', 'editImage'],
  },
  {
    id: 'builtin-speech',
    displayName: 'Built-in speech',
    description: `Reads English with Flite, a speech synthesiser; mp3, wav and pcm. ${honest}`,
    inputTokenLimit: 4_096,
    outputTokenLimit: 0,
    operations: ['speak'],
  },
  {
    id: 'builtin-video',
    displayName: 'Built-in video',
    description: `Renders short clips of swaying shapes and texts as MP4. ${honest}`,
    inputTokenLimit: 32_000,
    outputTokenLimit: 0,
    operations: ['createVideo', 'getVideo', 'downloadVideo'],
  },
]

export const engineCard: EngineCard = { id: 'builtin', models }
