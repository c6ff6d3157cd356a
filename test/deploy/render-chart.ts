// Renders the chart for the values in test/deploy/values/: `npm run charts` writes test/deploy/rendered/ anew. Needs Go with the
// libraries that Helm renders with; Debian has them as golang-go, golang-github-masterminds-sprig-dev, golang-k8s-sigs-yaml-dev.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const chart = join(import.meta.dirname, '../../deploy/helm/sluice')
const valuesFolder = join(import.meta.dirname, 'values')
const libraries = '/usr/share/gocode'

export const valueSets = readdirSync(valuesFolder).map((file) => file.replace(/\.yaml$/, ''))

export function valuesFile(set: string): string {
  return join(valuesFolder, `${set}.yaml`)
}

export function renderedFile(set: string): string {
  return join(import.meta.dirname, 'rendered', `${set}.yaml`)
}

/** Whether Go and the libraries are here. */
export function mayRender(): boolean {
  const built = spawnSync('go', ['version']).status === 0
  return built && existsSync(join(libraries, 'src/github.com/Masterminds/sprig'))
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
export function render(values: string): { readonly text: string; readonly error: string } {
  const program = join(import.meta.dirname, 'render-chart/main.go')
  const { stdout, stderr } = spawnSync('go', ['run', program, chart, values], {
    encoding: 'utf8',
    env: {
      ...process.env,
      GO111MODULE: 'off',
      GOPATH: libraries,
      GOCACHE: join(tmpdir(), 'sluice-go-cache'),
    },
  })
  return { text: stdout, error: stderr }
}

if (import.meta.main)
  for (const set of valueSets) {
    const { text, error } = render(valuesFile(set))
    if (error !== '') throw new Error(error)
    writeFileSync(renderedFile(set), stampOf(set) + text)
  }
