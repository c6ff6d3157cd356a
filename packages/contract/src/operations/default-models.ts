import type { OperationName } from './index.ts'

/**
 * The model of a request that names none, as OpenAI's API allows (OpenAI API reference): its default, or a current one where
 * that default ends. All other operations require a model.
 */
export const defaultModels: Readonly<Partial<Record<OperationName, string>>> = {
  moderate: 'omni-moderation-latest',
  createImage: 'gpt-image-2',
  editImage: 'gpt-image-2',
  createVideo: 'sora-2',
}
