import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Another gateway, as a program that is installed somewhere. Its settings are in `peers/`. */
export interface Peer {
  readonly name: string
  /** Settings, in which `{port}`, `{upstream}`, `{key}` and `{folder}` are replaced. */
  readonly files: readonly string[]
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Whether models carry the name of their provider. */
  readonly translates: boolean
}

const peers: readonly Peer[] = [
  {
    name: 'litellm',
    files: ['litellm.yaml'],
    args: ['--config', '{folder}/litellm.yaml', '--host', '127.0.0.1', '--port', '{port}'],
    environment: {},
    translates: false,
  },
  {
    name: 'aisix',
    files: ['aisix.yaml', 'aisix-resources.yaml'],
    args: ['--config', '{folder}/aisix.yaml'],
    environment: { BENCH_KEY: '{key}' },
    translates: false,
  },
  {
    name: 'busbar',
    files: ['busbar.yaml', 'busbar-providers.yaml'],
    args: [],
    environment: {
      BENCH_KEY: '{key}',
      BUSBAR_CONFIG: '{folder}/busbar.yaml',
      BUSBAR_PROVIDERS: '{folder}/busbar-providers.yaml',
    },
    translates: false,
  },
  {
    name: 'gomodel',
    files: [],
    args: [],
    environment: {
      PORT: '{port}',
      OPENAI_API_KEY: 'upstream-key',
      OPENAI_BASE_URL: '{upstream}/v1',
    },
    translates: true,
  },
  {
    name: 'agentgateway',
    files: ['agentgateway.yaml'],
    args: ['-f', '{folder}/agentgateway.yaml'],
    environment: {},
    translates: false,
  },
  {
    name: 'bifrost',
    files: ['bifrost.json'],
    args: ['-app-dir', '{folder}', '-host', '127.0.0.1', '-port', '{port}'],
    environment: {},
    translates: true,
  },
]

/** A peer and the path of its program, given as `name=path`. Throws an Error for others than those that have settings. */
export function peerOf(text: string): { readonly peer: Peer; readonly program: string } {
  const [, name = '', program] = /^([\w-]+)=(.+)$/.exec(text) ?? []
  const peer = peers.find((one) => one.name === name)
  if (!peer || program === undefined)
    throw new Error(
      `--peer ${text} is not one of ${peers.map((one) => `${one.name}=path`).join(', ')}`,
    )
  return { peer, program: resolve(program) }
}

/** Writes the settings into the folder and returns what starts the program. */
export function startOf(
  { files, args, environment }: Peer,
  values: Readonly<Record<'port' | 'upstream' | 'key' | 'folder', string>>,
) {
  const filled = (text: string) =>
    text.replace(
      /\{(port|upstream|key|folder)\}/g,
      (_whole, name: keyof typeof values) => values[name],
    )
  for (const file of files) {
    const text = filled(readFileSync(join(import.meta.dirname, '..', 'peers', file), 'utf8'))
    // Bifrost finds its settings by this name.
    writeFileSync(join(values.folder, file === 'bifrost.json' ? 'config.json' : file), text)
  }
  return {
    args: args.map(filled),
    environment: Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [name, filled(value)]),
    ),
  }
}
