// Renders the chart for the values in test/deploy/values/: `npm run charts` writes test/deploy/rendered/ anew.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { kubernetesPrograms } from './helm.ts'

export const chart = join(import.meta.dirname, '../../deploy/helm/sluice')
const valuesFolder = join(import.meta.dirname, 'values')

export const valueSets = readdirSync(valuesFolder).map((file) => file.replace(/\.yaml$/, ''))

export function valuesFile(set: string): string {
  return join(valuesFolder, `${set}.yaml`)
}

export function renderedFile(set: string): string {
  return join(import.meta.dirname, 'rendered', `${set}.yaml`)
}

/** The first line of a rendering: what it was made of, so that an old one is known without rendering again. */
export function stampOf(set: string): string {
  const hash = createHash('sha256')
  const templates = readdirSync(join(chart, 'templates')).toSorted()
  const files = ['Chart.yaml', 'values.yaml', ...templates.map((name) => `templates/${name}`)]
  for (const file of files) hash.update(readFileSync(join(chart, file), 'utf8'))
  hash.update(readFileSync(valuesFile(set), 'utf8'))
  return `# Rendered from deploy/helm/sluice by npm run charts: ${hash.digest('hex')}\n`
}

/** The manifests, or why there are none. */
export function render(
  helm: string,
  ...args: readonly string[]
): { readonly text: string; readonly error: string } {
  const all = ['template', 'sluice', chart, ...args]
  const { stdout, stderr } = spawnSync(helm, all, { encoding: 'utf8' })
  return { text: stdout, error: stderr }
}

if (import.meta.main) {
  const { helm } = await kubernetesPrograms()
  for (const set of valueSets) {
    const { text, error } = render(helm, '--values', valuesFile(set))
    if (error !== '') throw new Error(error)
    writeFileSync(renderedFile(set), stampOf(set) + text)
  }
}
