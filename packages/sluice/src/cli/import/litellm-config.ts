import { isObject, listOf, objectOf } from '@sluice/contract'
import { stringify } from 'yaml'
import type { Path } from '../../config/references.ts'
import { type Deployment, readDeployment } from './litellm-deployment.ts'
import { leftSections } from './litellm-reasons.ts'
import { litellmRoutes } from './litellm-routes.ts'
import { readSections } from './litellm-sections.ts'
import { ProviderDrafts } from './provider-drafts.ts'
import type { FieldReport } from './report.ts'
import { SourceFields } from './source-fields.ts'
import { textOf } from './yaml-values.ts'

/** What a settings file of another gateway has become. */
export interface ImportedSettings {
  /** The text of sluice.yaml. */
  readonly yaml: string
  readonly report: readonly FieldReport[]
}

/** What the keys of LiteLLM's database refer to in its settings. */
export interface LitellmNames {
  /** The models of each access group. */
  readonly accessGroups: ReadonlyMap<string, readonly string[]>
  /** The key that administers LiteLLM, if the file has it in plain text. */
  readonly masterKey: string | undefined
}

/**
 * Translates the settings of LiteLLM's proxy (https://docs.litellm.ai/docs/proxy/config_settings). `file` is its name in the
 * report.
 *
 * @throws CommandError if the text is no YAML.
 */
export function importLitellmConfig(text: string, file: string): ImportedSettings & LitellmNames {
  const fields = new SourceFields(text, file)
  const source = objectOf(fields.value)
  const drafts = new ProviderDrafts()
  const credentials = readCredentials(fields, source)
  const deployments = listOf(source['model_list']).flatMap((_, index) => {
    const found = readDeployment(fields, { index, credentials, drafts })
    return found ? [found] : []
  })
  for (const [section, why] of Object.entries(leftSections))
    if (section in source) fields.left([section], why)
  const sections = readSections(fields, source)
  const { models, defaultModel } = litellmRoutes(fields, { deployments, drafts, sections })
  const prices = pricesOf(fields, deployments)
  const settings = {
    providers: drafts.settings(),
    models,
    ...(defaultModel !== undefined && { defaultModel }),
    ...(Object.keys(prices).length > 0 && { prices }),
    ...sections.settings,
  }
  return {
    yaml: yamlOf(settings, `${file} of LiteLLM`),
    report: fields.report(),
    accessGroups: groupsOf(deployments),
    masterKey: textOf(objectOf(source['general_settings'])['master_key']),
  }
}

/** Settings as a file that says where they come from. Sections without content are left out. */
export function yamlOf(settings: Readonly<Record<string, unknown>>, source: string): string {
  const present = Object.entries(settings).filter(
    ([, value]) => !isObject(value) || Object.keys(value).length > 0,
  )
  const body = stringify(Object.fromEntries(present), {
    aliasDuplicateObjects: false,
    lineWidth: 0,
  })
  return `# Made from ${source} by sluice import. All settings: sluice config schema\n\n${present.length > 0 ? body : '{}\n'}`
}

function readCredentials(
  fields: SourceFields,
  source: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const found = new Map<string, Readonly<Record<string, unknown>>>()
  for (const [index, entry] of listOf(source['credential_list']).entries()) {
    const name = textOf(objectOf(entry)['credential_name'])
    if (name === undefined) continue
    found.set(name, objectOf(objectOf(entry)['credential_values']))
    const path: Path = ['credential_list', index]
    fields.changed(path, 'written into each provider that uses it')
    if (isObject(entry) && 'credential_info' in entry)
      fields.left([...path, 'credential_info'], 'providers have no free data')
  }
  return found
}

function pricesOf(
  fields: SourceFields,
  deployments: readonly Deployment[],
): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  for (const { target, price, path } of deployments) {
    if (Object.keys(price).length === 0) continue
    if (target in found && JSON.stringify(found[target]) !== JSON.stringify(price))
      fields.left(path, `another entry has a different price for ${target}, which is the one taken`)
    else found[target] = price
  }
  return found
}

function groupsOf(deployments: readonly Deployment[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>()
  for (const { accessGroups, name } of deployments)
    for (const group of accessGroups) found.set(group, (found.get(group) ?? new Set()).add(name))
  return new Map([...found].map(([group, names]) => [group, [...names]]))
}
