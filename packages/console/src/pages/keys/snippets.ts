import type { Reply } from '../../api/client.ts'

/** The values inserted into a snippet. */
export interface SnippetValues {
  /** The gateway's address, without a trailing slash. */
  readonly address: string
  readonly secret: string
  readonly model: string
}

const question = 'What is 6 times 7?'

/** How to configure clients for this gateway, by the name of the client. */
export const snippets: readonly (readonly [name: string, (place: SnippetValues) => string])[] = [
  [
    'curl',
    ({ address, secret, model }) => `curl ${address}/v1/chat/completions \\
  -H "Authorization: Bearer ${secret}" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ model, messages: [{ role: 'user', content: question }] })}'`,
  ],
  [
    'openai',
    ({ address, secret, model }) => `from openai import OpenAI

client = OpenAI(base_url="${address}/v1", api_key="${secret}")
reply = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${question}"}],
)
print(reply.choices[0].message.content)`,
  ],
  [
    'anthropic',
    ({ address, secret, model }) => `from anthropic import Anthropic

client = Anthropic(base_url="${address}", api_key="${secret}")
message = client.messages.create(
    model="${model}",
    max_tokens=1000,
    messages=[{"role": "user", "content": "${question}"}],
)
print(message.content[0].text)`,
  ],
  [
    'genai',
    ({ address, secret, model }) => `from google import genai

client = genai.Client(api_key="${secret}", http_options={"base_url": "${address}"})
reply = client.models.generate_content(model="${model}", contents="${question}")
print(reply.text)`,
  ],
  [
    'codex',
    ({ address, secret, model }) => `# ~/.codex/config.toml, and: export SLUICE_KEY=${secret}
model = "${model}"
model_provider = "sluice"

[model_providers.sluice]
name = "Sluice"
base_url = "${address}/v1"
env_key = "SLUICE_KEY"
wire_api = "responses"`,
  ],
  [
    'Claude Code',
    ({ address, secret, model }) => `export ANTHROPIC_BASE_URL=${address}
export ANTHROPIC_AUTH_TOKEN=${secret}
export ANTHROPIC_MODEL=${model}
claude`,
  ],
]

type Models = Reply<'listModels'>['data']

/** The model used in snippets: a provider's model is preferred to one of the built-in engine. */
export function snippetModel(models: Models): string {
  const chat = models.filter(({ operations }) => operations.includes('chat'))
  const named = chat.find(({ owned_by: owner }) => owner !== 'sluice') ?? chat[0]
  return named?.id ?? 'MODEL'
}
