import type { Provider } from '../../packages/gateway/src/providers/provider.ts'
import { providers } from '../../packages/gateway/src/providers/index.ts'
import { plain } from './plain.ts'

function variablesOf({ environment }: Provider): string {
  return environment.length === 0 ? 'none' : environment.map((name) => `\`${name}\``).join(' or ')
}

/** Settings that have to be there: those in the address, and the project of a cloud. */
function neededSettings({
  baseUrl,
  settingsFrom = {},
  settings = {},
}: Provider): readonly string[] {
  const inAddress = [...baseUrl.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const project = 'project' in settingsFrom ? ['project'] : []
  return [...inAddress, ...project].filter((name) => settings[name] === undefined)
}

/** The lines of sluice.yaml that turn a provider on, with the secrets by reference. */
function settingsOf(provider: Provider): readonly string[] {
  const { id, environment, baseUrl } = provider
  const [variable] = environment
  return [
    '# sluice.yaml',
    'providers:',
    `  ${id}:`,
    variable === undefined ? `    baseUrl: ${baseUrl}` : `    keys: ["\${${variable}}"]`,
    ...neededSettings(provider).map((name) => `    ${name}: my-${name}`),
  ]
}

/** The page of one provider. */
export function providerPage(provider: Provider): readonly string[] {
  const {
    id,
    name,
    protocol,
    baseUrl,
    environment,
    documentation,
    keyForms,
    settingsFrom = {},
  } = provider
  const [variable] = environment
  const offered = provider.operations ?? Object.keys(protocol.codecs)
  const native = Object.keys(protocol.native)
  return [
    `# ${name}`,
    '',
    `| | |`,
    '|---|---|',
    `| id | \`${id}\` |`,
    `| protocol | \`${protocol.id}\` |`,
    `| address | \`${plain(baseUrl)}\` |`,
    `| key | ${variablesOf(provider)} |`,
    ...Object.entries(settingsFrom).map(
      ([setting, names]) =>
        `| \`${setting}\` | from ${names.map((one) => `\`${one}\``).join(' or ')}, or in \`sluice.yaml\` |`,
    ),
    `| documentation | <${documentation}> |`,
    `| operations | ${offered.join(', ')} |`,
    ...(native.length === 0 ? [] : [`| passed unchanged | ${native.join(', ')} |`]),
    '',
    variable === undefined
      ? 'It needs no key. Enable it in `sluice.yaml`, or let `sluice discover --write` find it:'
      : `It is enabled when \`${variable}\` is set${neededSettings(provider).length === 0 ? '' : ', with the settings above'}. In \`sluice.yaml\` you can set several keys, which take turns, or another address:`,
    '',
    '```yaml',
    ...settingsOf(provider),
    '```',
    '',
    ...(keyForms === undefined ? [] : [keyForms, '']),
    `\`${id}/<model>\` reaches any of its models, from every client format. See [routing](/routing).`,
  ]
}

/** The list of all providers. */
export function providerList(): readonly string[] {
  return [
    '# Providers',
    '',
    `${providers.size} providers are in the catalogue. A provider is enabled when its key is in the environment. Configure any other server with \`type\` and \`baseUrl\`, and AI SDK packages with \`type: ai-sdk\`: [settings](/settings#providers).`,
    '',
    '| provider | id | protocol | key |',
    '|---|---|---|---|',
    ...[...providers.values()].map(
      (provider) =>
        `| [${provider.name}](./${provider.id}) | \`${provider.id}\` | \`${provider.protocol.id}\` | ${variablesOf(provider)} |`,
    ),
  ]
}
