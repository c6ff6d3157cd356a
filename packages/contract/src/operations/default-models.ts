import type { OperationName } from './index.ts'

/** OpenAI's default for a request without a model (OpenAI API reference). All other operations require one. */
export const defaultModels: Readonly<Partial<Record<OperationName, string>>> = {
  moderate: 'omni-moderation-latest',
  createImage: 'gpt-image-1.5',
  editImage: 'gpt-image-1.5',
  createVideo: 'sora-2',
}
