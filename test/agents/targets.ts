/** The models that agents are run in front of: each refuses what its maker refuses. */
import type { ProviderConfig } from '../../packages/gateway/src/settings/schema-provider.ts'
import type { Answering } from '../support/fakes/fake-upstream.ts'
import {
  cohereModel,
  converseModel,
  openModel,
  responsesModel,
} from '../support/fakes/further-models.ts'
import { makers, type Script } from '../support/fakes/scripted-models.ts'

export interface Target {
  /** As the table of docs/agents.md heads its column. */
  readonly name: string
  /** The protocol it speaks. Agents that speak the same are not sent there: their bytes would only pass. */
  readonly speaks: string
  readonly model: string
  /** Absent for the built-in engine, which needs no upstream and follows no script. */
  readonly upstream?: {
    readonly provider: ProviderConfig
    readonly answering: (script: Script) => Answering
  }
}

const key = 'sk-of-the-upstream'
const openai = { provider: { kind: 'openai', key }, answering: makers.openai.answering }

export const targets: readonly Target[] = [
  { name: 'OpenAI chat', speaks: 'openai', model: 'gpt-4.1', upstream: openai },
  { name: 'OpenAI chat, reasoning', speaks: 'openai', model: 'gpt-5.1', upstream: openai },
  {
    name: 'OpenAI Responses',
    speaks: 'openai-responses',
    model: 'gpt-5.1-codex',
    upstream: { provider: { type: 'openai-responses', key }, answering: responsesModel },
  },
  {
    name: 'Anthropic',
    speaks: 'anthropic',
    model: 'claude-sonnet-4-5',
    upstream: { provider: { kind: 'anthropic', key }, answering: makers.anthropic.answering },
  },
  {
    name: 'Gemini',
    speaks: 'gemini',
    model: 'gemini-3-pro-preview',
    upstream: { provider: { kind: 'google', key }, answering: makers.gemini.answering },
  },
  {
    name: 'Bedrock Converse',
    speaks: 'bedrock',
    model: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
    upstream: {
      provider: { kind: 'amazon-bedrock', key: 'AKIDEXAMPLE:secret', region: 'eu-central-1' },
      answering: converseModel,
    },
  },
  {
    name: 'Cohere',
    speaks: 'cohere',
    model: 'command-a-03-2025',
    upstream: { provider: { kind: 'cohere', key }, answering: cohereModel },
  },
  {
    name: 'vLLM',
    speaks: 'openai',
    model: 'Qwen/Qwen3-Coder-30B-A3B-Instruct',
    upstream: { provider: { kind: 'vllm' }, answering: openModel },
  },
  { name: 'built-in engine', speaks: 'builtin', model: 'builtin-chat' },
]

/** The base URL that a provider is given, from the address of its fake upstream. */
export function baseUrlOf({ speaks }: Target, url: string): string {
  return speaks.startsWith('openai') ? `${url}/v1` : url
}
