import { type Answering, type FakeUpstream, fakeUpstream } from '../fakes/fake-upstream.ts'
import { type Maker, makers, type Script } from '../fakes/scripted-models.ts'
import { type Started, start } from '../start.ts'

export interface Through extends AsyncDisposable {
  readonly upstream: FakeUpstream
  readonly gateway: Started
  /** The name that a caller uses. */
  readonly model: string
}

/** A gateway in front of one maker's model that follows a script. */
export async function through(
  maker: Maker,
  script: Script,
  model: string = makers[maker].model,
): Promise<Through> {
  return inFrontOf(maker, makers[maker].answering(script), model)
}

/** A gateway in front of one upstream that speaks a protocol. */
export async function inFrontOf(
  type: 'anthropic' | 'gemini' | 'openai' | 'openai-responses' | 'cohere',
  answering: Answering,
  model = 'm',
): Promise<Through> {
  const upstream = await fakeUpstream(answering)
  const gateway = await start({
    providers: { up: { type, baseUrl: upstream.url, key: 'sk-of-the-upstream' } },
    defaults: { retries: { attempts: 1 } },
  })
  return {
    upstream,
    gateway,
    model: `up/${model}`,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}
