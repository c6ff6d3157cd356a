// The documentation site: it is built whole, and every link in it leads somewhere.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorCodes } from '../../packages/contract/src/index.ts'
import { providers } from '../../packages/gateway/src/providers/index.ts'
import { root } from '../support/npm.ts'

const site = join(root, 'docs/.vitepress/dist')

test('builds offline without dead links', () => {
  // The build of VitePress fails where a link leads to no page.
  const { status, stdout, stderr } = spawnSync('npm', ['run', 'docs'], {
    cwd: root,
    encoding: 'utf8',
    // Nobody listens there: what asks for something fails.
    env: { ...process.env, HTTPS_PROXY: 'http://127.0.0.1:1', HTTP_PROXY: 'http://127.0.0.1:1' },
  })
  expect(status, stdout + stderr).toBe(0)
  const files = readdirSync(site, { recursive: true, encoding: 'utf8' })
  for (const code of errorCodes) expect(files).toContain(`errors/${code}.html`)
  for (const id of providers.keys()) expect(files).toContain(`providers/${id}.html`)
  const html = files.filter((file) => file.endsWith('.html'))
  expect(html.length).toBeGreaterThan(110)
  for (const file of html) {
    const text = readFileSync(join(site, file), 'utf8')
    expect(text, file).not.toMatch(/(?:src|<link[^>]+href)="https?:/)
    assertAnchors(file, text, files)
    assertFiles(text, files)
  }
  assertMarkdown(files)
}, 300_000)

/** Icons and alternatives that the head of a page names are there. */
function assertFiles(text: string, files: readonly string[]): void {
  const named = [...text.matchAll(/<link rel="(?:icon|alternate)"[^>]* href="\/([^"]+)"/g)]
  expect(named).toHaveLength(2)
  for (const [, file] of named) expect(files).toContain(file)
}

/** llms.txt leads to the Markdown of each page of the menu, and links in that to other Markdown. */
function assertMarkdown(files: readonly string[]): void {
  const linksIn = (text: string) =>
    [...text.matchAll(/\]\(\/([^)#]*)/g)].map(([, link = '']) => link)
  const list = readFileSync(join(site, 'llms.txt'), 'utf8')
  expect(list).toMatch(/^# Sluice\n\n> .+\n\n## Use it\n\n- \[/)
  const listed = linksIn(list)
  expect(listed).toContain('troubleshooting.md')
  expect(listed).toContain('errors/index.md')
  expect(listed.length).toBeGreaterThan(30)
  for (const link of listed) expect(files).toContain(link)
  const markdown = files.filter((file) => file.endsWith('.md'))
  expect(markdown.length).toBe(files.filter((file) => file.endsWith('.html')).length - 2)
  for (const file of markdown) {
    const text = readFileSync(join(site, file), 'utf8')
    expect(text, file).toMatch(/^# /m)
    expect(text, file).not.toMatch(/@include|^---\n/)
    for (const link of linksIn(text).filter((one) => !one.startsWith('images/')))
      expect(files, `${file}: ${link}`).toContain(link)
  }
}

/** What VitePress does not look at: that the part of a page is there which a link names. */
function assertAnchors(file: string, text: string, files: readonly string[]): void {
  for (const [, href = '', anchor = ''] of text.matchAll(/<a[^>]+href="([^"#:]*)#([^"]+)"/g)) {
    const path = href === '' ? file : href.replace(/^\//, '')
    const target = path === '' || path.endsWith('/') ? `${path}index.html` : path
    if (!files.includes(target)) continue
    expect(readFileSync(join(site, target), 'utf8'), `${file}: ${href}#${anchor}`).toContain(
      `id="${decodeURIComponent(anchor)}"`,
    )
  }
}
