import { fakeUpstream, type SeenRequest } from '../support/fakes/fake-upstream.ts'
import type { Script } from '../support/fakes/scripted-models.ts'
import { type Started, start } from '../support/start.ts'
import { baseUrlOf, type Target } from './targets.ts'

export interface Stage extends AsyncDisposable {
  readonly gateway: Started
  /** What the upstream refused, in its own words. */
  readonly refused: readonly string[]
  readonly asked: readonly SeenRequest[]
}

/** A gateway in front of one target, which it offers under all of these names of models; a bare one knows only its own. */
export async function openStage(
  target: Target,
  { models, script }: { readonly models: readonly string[]; readonly script: Script },
): Promise<Stage> {
  const refused: string[] = []
  const answering = target.upstream?.answering(script)
  const upstream = await fakeUpstream(async (seen, response, request) => {
    const refusal: unknown[] = []
    const end = response.end.bind(response) as (body?: unknown) => typeof response
    response.end = (body?: unknown) => {
      refusal.push(body)
      return end(body)
    }
    await answering?.(seen, response, request)
    // One that lacks an address is asked at another.
    const { statusCode } = response
    if (statusCode >= 400 && statusCode !== 404) refused.push(`${statusCode} ${String(refusal[0])}`)
  })
  const provider = target.upstream && {
    ...target.upstream.provider,
    baseUrl: baseUrlOf(target, upstream.url),
  }
  const name = target.upstream ? `up/${target.model}` : `builtin/${target.model}`
  const gateway = await start({
    ...(provider && { providers: { up: provider } }),
    ...(target.isBare !== true && {
      models: Object.fromEntries(models.map((model) => [model, { targets: [{ target: name }] }])),
    }),
    defaults: { retries: { attempts: 1 } },
  })
  return {
    gateway,
    refused,
    asked: upstream.seen,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}
