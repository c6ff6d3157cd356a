/** The models that agents are run in front of: each refuses what its maker refuses. */
import type { ProviderConfig } from '../../packages/gateway/src/settings/schema-provider.ts'
import type { Answering } from '../support/fakes/fake-upstream.ts'
import {
  cohereModel,
  converseModel,
  mistralModel,
  ollamaModel,
  openModel,
  responsesModel,
} from '../support/fakes/further-models.ts'
import { makers, type Script } from '../support/fakes/scripted-models.ts'
import { vertexClaudeModel, vertexGeminiModel } from '../support/fakes/vertex-models.ts'

export interface Target {
  /** As the table of docs/agents.md heads its column. */
  readonly name: string
  /** The protocol it speaks. The bytes of agents that speak the same only pass. */
  readonly speaks: string
  readonly model: string
  /** Whether the gateway has no settings at all, so that an agent must find its model by itself. Default false. */
  readonly isBare?: boolean
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
    name: 'Vertex AI',
    speaks: 'gemini',
    model: 'gemini-2.5-pro',
    upstream: {
      provider: { kind: 'google-vertex', key: 'ya29.token', project: 'p' },
      answering: vertexGeminiModel,
    },
  },
  {
    name: 'Claude on Vertex AI',
    speaks: 'anthropic',
    model: 'claude-sonnet-4-5',
    upstream: {
      provider: { kind: 'google-vertex-anthropic', key: 'ya29.token', project: 'p' },
      answering: vertexClaudeModel,
    },
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
    name: 'Mistral',
    speaks: 'openai',
    model: 'mistral-small-latest',
    upstream: { provider: { kind: 'mistral', key }, answering: mistralModel },
  },
  {
    name: 'Ollama',
    speaks: 'openai',
    model: 'qwen3-coder:30b',
    upstream: { provider: { kind: 'ollama' }, answering: ollamaModel },
  },
  {
    name: 'vLLM',
    speaks: 'openai',
    model: 'Qwen/Qwen3-Coder-30B-A3B-Instruct',
    upstream: { provider: { kind: 'vllm' }, answering: openModel },
  },
  { name: 'built-in engine', speaks: 'builtin', model: 'builtin-chat' },
]

/** A gateway as it is after its first start. */
export const bareTarget: Target = {
  name: 'no settings',
  speaks: 'builtin',
  model: 'builtin-chat',
  isBare: true,
}

/** The base URL that a provider is given, from the address of its fake upstream. */
export function baseUrlOf({ speaks }: Target, url: string): string {
  return speaks.startsWith('openai') ? `${url}/v1` : url
}
