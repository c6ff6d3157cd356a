#!/usr/bin/env node
// Runs the command line on the Node that the project brings, whatever Node the system has.
const { spawn } = require('node:child_process')
const { existsSync } = require('node:fs')
const { dirname, join } = require('node:path')

const main = join(__dirname, '..', 'src', 'cli', 'main.ts')
const major = Number(process.versions.node.split('.')[0])

function bundledNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = `node-${platform}-${process.arch}`
  try {
    const folder = dirname(require.resolve(`${name}/package.json`))
    const file = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    return existsSync(file) ? file : undefined
  } catch {
    return undefined
  }
}

const node = major >= 24 ? process.execPath : bundledNode()
if (!node) {
  console.error('sluice needs Node 24 or newer, and no bundled one is installed for this platform.')
  process.exit(1)
}
const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => {
  if (signal) process.kill(process.pid, signal)
  else process.exit(code ?? 1)
})
