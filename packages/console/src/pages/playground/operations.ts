import type { GatewayOperation } from '../../api/client.ts'
import type { Fields } from '../../parts/fields.ts'

/** An operation of the playground, and how its request is sent. */
export interface Operation {
  readonly path: string
  /** The gateway's name of the operation, for finding the models that offer it. */
  readonly operation: GatewayOperation
  readonly example: Fields
  /** If set, the body is a form with this field for a file. */
  readonly fileField?: string
  /** The file types that may be chosen. */
  readonly accept?: string
  /** A second image marks the area of the first to edit. */
  readonly takesMask?: true
}

export const operations = {
  chat: {
    path: 'v1/chat/completions',
    operation: 'chat',
    example: {},
    accept: 'image/*,audio/*',
  },
  embeddings: {
    path: 'v1/embeddings',
    operation: 'embed',
    example: { input: 'A short text' },
  },
  rerank: {
    path: 'v1/rerank',
    operation: 'rerank',
    example: { query: 'What is a sluice?', documents: ['A gate for water', 'A kind of bread'] },
  },
  moderations: {
    path: 'v1/moderations',
    operation: 'moderate',
    example: { input: 'A short text' },
  },
  speech: {
    path: 'v1/audio/speech',
    operation: 'speak',
    example: { input: 'The gate is open.', voice: 'alloy', response_format: 'mp3' },
  },
  transcriptions: {
    path: 'v1/audio/transcriptions',
    operation: 'transcribe',
    example: { response_format: 'json' },
    fileField: 'file',
    accept: 'audio/*',
  },
  images: {
    path: 'v1/images/generations',
    operation: 'createImage',
    example: { prompt: 'A gate in a river', size: '1024x1024', response_format: 'b64_json' },
  },
  edits: {
    path: 'v1/images/edits',
    operation: 'editImage',
    example: { prompt: 'Make it evening', response_format: 'b64_json' },
    fileField: 'image',
    accept: 'image/*',
    takesMask: true,
  },
  videos: {
    path: 'v1/videos',
    operation: 'createVideo',
    example: { prompt: 'A gate in a river opens', seconds: '4' },
  },
} as const satisfies Readonly<Record<string, Operation>>

export type OperationName = keyof typeof operations
