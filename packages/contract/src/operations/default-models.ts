import type { OperationName } from './index.ts'

/** What OpenAI takes where a request names no model (OpenAI API reference); the other operations need a name. */
export const defaultModels: Readonly<Partial<Record<OperationName, string>>> = {
  moderate: 'omni-moderation-latest',
  createImage: 'gpt-image-1.5',
  editImage: 'gpt-image-1.5',
  createVideo: 'sora-2',
}
