/** The command-line agents: how each is told of a gateway, asked for something, and what it calls its tools. */
import { join } from 'node:path'
import type { Line } from '../support/fakes/scripted-models.ts'
import type versions from './versions.json'

/** Where an agent runs. */
export interface Place {
  /** The gateway's address. */
  readonly url: string
  readonly key: string
  /** The agent's own HOME, and the folder it works in. */
  readonly home: string
  readonly folder: string
}

export interface Agent {
  readonly name: string
  /** The protocol whose words it speaks, as upstreams are named. */
  readonly speaks: 'openai' | 'openai-responses' | 'anthropic' | 'gemini'
  readonly package: keyof typeof versions
  /** The program, beside those that npm installs; `node` with a script of ours where the package is a library. */
  readonly program: string
  /** The names of models it asks for when nobody says anything else; the first is that of the talk. */
  readonly models: readonly string[]
  readonly args: (prompt: string, place: Place) => readonly string[]
  readonly env: (place: Place) => Readonly<Record<string, string>>
  /** What is in its HOME before it starts, by path. */
  readonly files?: (place: Place) => Readonly<Record<string, unknown>>
  /** What a model calls to turn red into blue in `file`, step by step. */
  readonly steps: (file: string) => readonly NonNullable<Line['calls']>[]
}

const call = (name: string, input: object): readonly [string, string] => [
  name,
  JSON.stringify(input),
]
const sed = (file: string): string => `sed -i s/red/blue/ ${file}`

/** Without `model`, the program chooses, as docs/coding-agents.md has it. */
const claudeCode = (model?: string): Agent => ({
  name: 'Claude Code',
  speaks: 'anthropic',
  package: '@anthropic-ai/claude-code',
  program: 'claude',
  models: ['claude-sonnet-4-5', 'claude-haiku-4-5'],
  args: (prompt) => [
    '-p',
    prompt,
    '--permission-mode',
    'acceptEdits',
    ...(model === undefined ? [] : ['--model', model]),
  ],
  env: ({ url, key }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: key,
    ...(model !== undefined && {
      ANTHROPIC_SMALL_FAST_MODEL: 'claude-haiku-4-5',
      ANTHROPIC_DEFAULT_HAIKU_MODEL: 'claude-haiku-4-5',
    }),
  }),
  steps: (file) => [
    [call('Read', { file_path: file })],
    // With what the agent adds where it is missing: a call that comes back otherwise than it was said is not the one
    // that Gemini signed.
    [
      call('Edit', {
        replace_all: false,
        file_path: file,
        old_string: 'red',
        new_string: 'blue',
      }),
    ],
  ],
})

/** `further`: lines of its settings beside those that docs/coding-agents.md has. */
const codex = (...further: readonly string[]): Agent => ({
  name: 'codex',
  speaks: 'openai-responses',
  package: '@openai/codex',
  program: 'codex',
  models: ['gpt-5.5'],
  args: (prompt) => [
    'exec',
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    prompt,
  ],
  env: ({ home, key }) => ({ CODEX_HOME: join(home, '.codex'), OPENAI_API_KEY: key }),
  files: ({ url }) => ({
    '.codex/config.toml': [
      'model = "gpt-5.5"',
      'model_provider = "sluice"',
      '[model_providers.sluice]',
      'name = "Sluice"',
      `base_url = "${url}/v1"`,
      'env_key = "OPENAI_API_KEY"',
      'wire_api = "responses"',
      ...further,
      '',
    ].join('\n'),
  }),
  steps: (file) => [
    [call('exec_command', { cmd: `cat ${file}` })],
    [call('exec_command', { cmd: sed(file) })],
  ],
})

/** Without `model`, the program chooses. */
const geminiCli = (model?: string): Agent => ({
  name: 'gemini-cli',
  speaks: 'gemini',
  package: '@google/gemini-cli',
  program: 'gemini',
  models: [
    'gemini-2.5-pro',
    'gemini-2.5-flash',
    'gemini-2.5-flash-lite',
    'gemini-3-pro-preview',
    'gemini-3-flash-preview',
  ],
  args: (prompt) => [
    '--skip-trust',
    '--approval-mode',
    'yolo',
    ...(model === undefined ? [] : ['-m', model]),
    '-p',
    prompt,
  ],
  env: ({ url, key }) => ({
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: key,
    GEMINI_API_KEY_AUTH_MECHANISM: 'x-goog-api-key',
  }),
  files: () => ({
    '.gemini/settings.json': {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true, disableUpdateNag: true },
    },
  }),
  steps: (file) => [
    [call('read_file', { file_path: file })],
    [
      call('replace', {
        file_path: file,
        instruction: 'Blue instead of red',
        old_string: 'red',
        new_string: 'blue',
      }),
    ],
  ],
})

const qwen = (speaks: 'anthropic' | 'openai' | 'gemini'): Agent => ({
  name: `qwen-code (${speaks})`,
  speaks,
  package: '@qwen-code/qwen-code',
  program: 'qwen',
  models: ['qwen3-coder-plus'],
  args: (prompt) => ['--auth-type', speaks, '--approval-mode', 'yolo', prompt],
  env: ({ url, key }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_MODEL: 'qwen3-coder-plus',
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: key,
    OPENAI_MODEL: 'qwen3-coder-plus',
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: key,
    GEMINI_MODEL: 'qwen3-coder-plus',
  }),
  files: () => ({
    '.qwen/settings.json': {
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false },
    },
  }),
  steps: (file) => [
    [call('read_file', { file_path: file })],
    [call('edit', { file_path: file, old_string: 'red', new_string: 'blue' })],
  ],
})

const opencodePackages = {
  openai: '@ai-sdk/openai-compatible',
  'openai-responses': '@ai-sdk/openai',
  anthropic: '@ai-sdk/anthropic',
  gemini: '@ai-sdk/google',
}

const opencode = (speaks: Agent['speaks'], model = 'coder'): Agent => ({
  name: `opencode (${speaks})`,
  speaks,
  package: 'opencode-ai',
  program: 'opencode',
  models: [model],
  args: (prompt) => ['run', '-m', `sluice/${model}`, prompt],
  env: ({ home }) => ({
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.data'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_STATE_HOME: join(home, '.state'),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  }),
  files: ({ url, key }) => ({
    '.config/opencode/opencode.json': {
      provider: {
        sluice: {
          npm: opencodePackages[speaks],
          name: 'Sluice',
          options: { baseURL: `${url}${speaks === 'gemini' ? '/v1beta' : '/v1'}`, apiKey: key },
          models: { [model]: { name: model, limit: { context: 200_000, output: 32_000 } } },
        },
      },
      small_model: `sluice/${model}`,
      permission: { '*': 'allow' },
      autoupdate: false,
      share: 'disabled',
    },
  }),
  steps: (file) => [
    [call('read', { filePath: file })],
    [call('edit', { filePath: file, oldString: 'red', newString: 'blue' })],
  ],
})

const clineProviders = {
  openai: { id: 'openai-compatible', model: 'coder' },
  anthropic: { id: 'anthropic', model: 'claude-sonnet-4-5' },
}

const cline = (
  speaks: 'openai' | 'anthropic',
  model: string = clineProviders[speaks].model,
): Agent => ({
  name: `cline (${speaks})`,
  speaks,
  package: 'cline',
  program: 'cline',
  models: [model],
  args: (prompt) => ['--auto-approve', 'true', prompt],
  env: () => ({}),
  files: ({ url, key }) => ({
    '.cline/data/settings/providers.json': {
      version: 1,
      lastUsedProvider: clineProviders[speaks].id,
      modes: {},
      providers: {
        [clineProviders[speaks].id]: {
          settings: {
            provider: clineProviders[speaks].id,
            apiKey: key,
            model,
            baseUrl: `${url}/v1`,
          },
          updatedAt: '2026-01-01T00:00:00.000Z',
          tokenSource: 'manual',
        },
      },
    },
  }),
  steps: (file) => [
    [call('read_files', { files: [{ path: file }] })],
    [call('editor', { path: file, old_text: 'red', new_text: 'blue' })],
  ],
})

const piApis = {
  openai: 'openai-completions',
  'openai-responses': 'openai-responses',
  anthropic: 'anthropic-messages',
  gemini: 'google-generative-ai',
}
const addresses = { openai: '/v1', 'openai-responses': '/v1', anthropic: '', gemini: '/v1beta' }

const pi = (speaks: Agent['speaks']): Agent => ({
  name: `pi (${speaks})`,
  speaks,
  package: '@earendil-works/pi-coding-agent',
  program: 'pi',
  models: ['coder'],
  args: (prompt) => [
    '--provider',
    'sluice',
    '--model',
    'coder',
    '--thinking',
    'medium',
    '-p',
    prompt,
  ],
  env: () => ({ PI_OFFLINE: '1', PI_TELEMETRY: '0' }),
  files: ({ url, key }) => ({
    '.pi/agent/models.json': {
      providers: {
        sluice: {
          baseUrl: url + addresses[speaks],
          api: piApis[speaks],
          apiKey: key,
          models: [{ id: 'coder', reasoning: true, maxTokens: 32_000, contextWindow: 200_000 }],
        },
      },
    },
  }),
  steps: (file) => [
    [call('read', { path: file })],
    [call('edit', { path: file, edits: [{ oldText: 'red', newText: 'blue' }] })],
  ],
})

const copilot = (speaks: 'openai' | 'openai-responses' | 'anthropic'): Agent => ({
  name: `Copilot CLI (${speaks})`,
  speaks,
  package: '@github/copilot',
  program: 'copilot',
  models: ['coder'],
  args: (prompt) => ['-p', prompt, '--allow-all'],
  env: ({ url, key }) => ({
    COPILOT_PROVIDER_TYPE: speaks === 'anthropic' ? 'anthropic' : 'openai',
    COPILOT_PROVIDER_WIRE_API: speaks === 'openai-responses' ? 'responses' : 'completions',
    COPILOT_PROVIDER_BASE_URL: url + addresses[speaks],
    COPILOT_PROVIDER_API_KEY: key,
    COPILOT_MODEL: 'coder',
    COPILOT_OFFLINE: 'true',
  }),
  steps: (file) => [
    [call('view', { path: file })],
    [call('edit', { path: file, old_str: 'red', new_str: 'blue' })],
  ],
})

const agentsSdk = (speaks: 'openai' | 'openai-responses'): Agent => ({
  name: `@openai/agents (${speaks})`,
  speaks,
  package: '@openai/agents',
  program: 'node',
  models: ['coder'],
  args: (prompt) => [join(import.meta.dirname, 'sdk-agent.ts'), speaks, prompt],
  env: ({ url, key }) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key }),
  steps: (file) => [
    [call('read_file', { path: file })],
    [call('edit_file', { path: file, old_text: 'red', new_text: 'blue' })],
  ],
})

export const agents: readonly Agent[] = [
  claudeCode('claude-sonnet-4-5'),
  codex('supports_websockets = true'),
  geminiCli('gemini-2.5-pro'),
  qwen('openai'),
  qwen('anthropic'),
  qwen('gemini'),
  opencode('openai'),
  opencode('openai-responses'),
  opencode('anthropic'),
  opencode('gemini'),
  cline('openai'),
  cline('anthropic'),
  pi('openai'),
  pi('openai-responses'),
  pi('anthropic'),
  pi('gemini'),
  copilot('openai'),
  copilot('openai-responses'),
  copilot('anthropic'),
  agentsSdk('openai'),
  agentsSdk('openai-responses'),
]

/** Those of docs/coding-agents.md, with its settings and nothing else; where it says "your model", the one that is always there. */
export const agentsOfPage: readonly Agent[] = [
  claudeCode(),
  codex(),
  geminiCli(),
  qwen('openai'),
  opencode('openai', 'builtin-chat'),
  cline('openai', 'builtin-chat'),
]
