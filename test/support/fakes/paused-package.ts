/**
 * A provider package as `type: ai-sdk` loads it: its models send whole responses when the test releases them, all at once, and
 * start streams that they never end.
 */
const waiting: (() => void)[] = []

export const held = {
  /** Number of calls that wait for their response. */
  get count(): number {
    return waiting.length
  },
  release(): void {
    for (const resolve of waiting.splice(0)) resolve()
  },
}

const answer = {
  content: [{ type: 'text', text: 'Hello' }],
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: { inputTokens: { total: 7 }, outputTokens: { total: 3 } },
  warnings: [],
}

/** Some text, and then nothing more. */
const begun = (): ReadableStream<unknown> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue({ type: 'stream-start', warnings: [] })
      controller.enqueue({ type: 'text-start', id: '1' })
      controller.enqueue({ type: 'text-delta', id: '1', delta: 'Hel' })
    },
  })

/** @public The gateway finds it by its name, as in any such package. */
export function createHeld(): object {
  return {
    languageModel: () => ({
      specificationVersion: 'v4',
      supportedUrls: {},
      async doGenerate() {
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
        })
        return answer
      },
      doStream: async () => ({ stream: begun() }),
    }),
  }
}
