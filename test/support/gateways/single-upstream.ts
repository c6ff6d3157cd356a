import { type Answering, type FakeUpstream, fakeUpstream } from '../fakes/fake-upstream.ts'
import { type Started, start } from '../start.ts'

export interface InFront extends AsyncDisposable {
  readonly upstream: FakeUpstream
  readonly gateway: Started
}

/** A gateway in front of a single upstream of a type, which is its provider's id too. Nothing is tried twice. */
export async function inFrontOf(type: string, answering: Answering): Promise<InFront> {
  const upstream = await fakeUpstream(answering)
  const gateway = await start({
    providers: { [type]: { baseUrl: upstream.url, key: 'sk-of-the-upstream' } },
    defaults: { retries: { attempts: 1 } },
  })
  return {
    upstream,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}
