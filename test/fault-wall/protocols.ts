import type { ProviderConfig } from '../../packages/gateway/src/settings/schema-provider.ts'
import type { Caller } from './callers.ts'

/** An upstream of one wire protocol, as sluice.yaml says it. */
export interface Spoken {
  /** The protocol's id. */
  readonly id: string
  readonly provider: ProviderConfig
  /** Text completions are translated to no other operation. */
  readonly completes: boolean
}

const key = 'sk-of-the-upstream-0123456789'

/** Every protocol in which a provider of the catalogue speaks chat. */
export const spoken: readonly Spoken[] = [
  { id: 'openai', provider: { type: 'openai', key }, completes: true },
  { id: 'openai-responses', provider: { type: 'openai-responses', key }, completes: true },
  { id: 'azure', provider: { type: 'azure', key, resource: 'r' }, completes: true },
  { id: 'anthropic', provider: { type: 'anthropic', key }, completes: false },
  { id: 'gemini', provider: { type: 'gemini', key }, completes: false },
  { id: 'vertex', provider: { type: 'vertex', key, project: 'p' }, completes: false },
  {
    id: 'vertex-anthropic',
    provider: { kind: 'google-vertex-anthropic', key, project: 'p' },
    completes: false,
  },
  { id: 'bedrock', provider: { type: 'bedrock', key, region: 'r' }, completes: false },
  { id: 'dashscope', provider: { type: 'dashscope', key }, completes: false },
  { id: 'cohere', provider: { type: 'cohere', key }, completes: false },
]

export const speaks = ({ completes }: Spoken, { name }: Caller): boolean =>
  completes || name !== 'completions'
