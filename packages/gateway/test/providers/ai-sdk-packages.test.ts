import { describe, expect, it } from 'vitest'
import { openAiSdkProvider } from '../../src/ai-sdk/open-provider.ts'

describe('AI SDK packages', () => {
  it('that are not installed are reported as missing', async () => {
    await expect(
      openAiSdkProvider({ package: '@ai-sdk/of-nobody', options: {} }),
    ).rejects.toMatchObject({
      code: 'upstream_unavailable',
      message: expect.stringContaining('not installed') as string,
    })
  })

  it('that export no provider are rejected', async () => {
    const importModule = () => Promise.resolve({ something: 1 })
    await expect(
      openAiSdkProvider({ package: 'x', options: {}, importModule }),
    ).rejects.toMatchObject({
      code: 'upstream_unavailable',
    })
  })

  it('that are installed are found by name', async () => {
    const found = await openAiSdkProvider({ package: '@ai-sdk/openai', options: { apiKey: 'k' } })
    expect(Object.keys(found)).toEqual(
      expect.arrayContaining(['chat', 'embed', 'createImage', 'transcribe', 'speak']),
    )
  })
})
