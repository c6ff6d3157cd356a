#!/usr/bin/env node
// Runs the command line on the Node that the project brings, whatever Node the system has.
const { spawn } = require('node:child_process')
const { existsSync } = require('node:fs')
const path = require('node:path')

const major = Number(process.versions.node.split('.')[0])

if (major >= 24) {
  // What one start compiled the next one need not. The folder is the project's own: code compiled into a folder that
  // others can write to would run as ours.
  require('node:module').enableCompileCache(
    path.join(__dirname, '..', 'node_modules', '.cache', 'sluice'),
  )
  void import('../packages/sluice/src/cli/run.ts')
    .then(({ run }) => run(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code
    })
} else {
  const node = bundledNode()
  if (!node) {
    console.error(
      'sluice needs Node 24 or newer, and no bundled one is installed for this platform.',
    )
    process.exit(1)
  }
  const child = spawn(node, [__filename, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    if (signal) process.kill(process.pid, signal)
    else process.exit(code ?? 1)
  })
}

function bundledNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = `node-${platform}-${process.arch}`
  try {
    const folder = path.dirname(require.resolve(`${name}/package.json`))
    const file = path.join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    return existsSync(file) ? file : undefined
  } catch {
    return undefined
  }
}
