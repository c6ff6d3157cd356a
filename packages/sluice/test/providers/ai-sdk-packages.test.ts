import { describe, expect, it } from 'vitest'
import { openAiSdkProvider } from '../../src/ai-sdk/open-provider.ts'

describe('packages', () => {
  it('one that is not installed is said to be missing', async () => {
    await expect(
      openAiSdkProvider({ package: '@ai-sdk/of-nobody', options: {} }),
    ).rejects.toMatchObject({
      code: 'upstream_unavailable',
      message: expect.stringContaining('not installed') as string,
    })
  })

  it('one that makes no provider is refused', async () => {
    const importModule = () => Promise.resolve({ something: 1 })
    await expect(
      openAiSdkProvider({ package: 'x', options: {}, importModule }),
    ).rejects.toMatchObject({
      code: 'upstream_unavailable',
    })
  })

  it('the installed one is found by its name alone', async () => {
    const found = await openAiSdkProvider({ package: '@ai-sdk/openai', options: { apiKey: 'k' } })
    expect(Object.keys(found)).toEqual(
      expect.arrayContaining(['chat', 'embed', 'createImage', 'transcribe', 'speak']),
    )
  })
})
