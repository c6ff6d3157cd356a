#!/usr/bin/env node
// Runs the command line on a Node that is new enough: this one, or the one that is installed with the package.
const { existsSync, statSync } = require('node:fs')
const path = require('node:path')

const root = path.join(__dirname, '..')
const neededMajor = 24
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** How soon a process whose parent is gone notices it. */
const orphanCheckMs = 1000

if (Number.parseInt(process.versions.node, 10) >= neededMajor) run()
else runOn(bundledNode())

function run() {
  const launcher = process.env.SLUICE_LAUNCHER_PID
  delete process.env.SLUICE_LAUNCHER_PID
  const npm = process.env.npm_lifecycle_event
  if (launcher !== undefined) endWithParent(Number(launcher))
  // A worker of the gateway hears of its end by itself, and goes on with its streams a little.
  else if (npm !== undefined && process.argv[2] !== 'worker') endWithParent(process.ppid)
  if (process.argv[2] === 'worker') outlivePrimary()
  keepCompiledCode()
  void import(entry())
}

/** A message that the primary process no longer reads must not end a worker with a stack trace: `disconnect` follows. */
function outlivePrimary() {
  require('node:cluster').worker?.on('error', () => {})
}

/** The bundle; in a checkout one of the sources as they are, or the sources themselves if there can be none. */
function entry() {
  const sources = path.join('packages', 'sluice', 'src', 'cli', 'main.ts')
  const isCheckout = existsSync(path.join(root, sources))
  if (isCheckout && !require('../build/checkout.cjs').ensureBundle()) return `../${sources}`
  return '../dist/sluice.js'
}

/**
 * What one start compiled the next one need not. Only in a folder that is this user's own: code that others could write
 * into it would run with this user's rights.
 */
function keepCompiledCode() {
  if (process.getuid !== undefined && statSync(root).uid !== process.getuid()) return
  require('node:module').enableCompileCache(path.join(root, 'node_modules', '.cache', 'sluice'))
}

/** Who killed npm, npx or the launcher meant the gateway, which would otherwise go on and keep the port. */
function endWithParent(parent) {
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, orphanCheckMs)
  timer.unref()
}

function runOn(node) {
  if (node === undefined) return refuse()
  const { spawn } = require('node:child_process')
  const child = spawn(node, [__filename, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, SLUICE_LAUNCHER_PID: String(process.pid) },
  })
  for (const signal of stopSignals) process.on(signal, () => child.kill(signal))
  if (process.env.npm_lifecycle_event !== undefined) endWithParent(process.ppid)
  child.on('error', (error) => refuse(error))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    for (const name of stopSignals) process.removeAllListeners(name)
    process.kill(process.pid, signal)
  })
}

function bundledNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const file = process.platform === 'win32' ? 'node.exe' : 'node'
  try {
    const manifest = require.resolve(`node-${platform}-${process.arch}/package.json`)
    return path.join(path.dirname(manifest), 'bin', file)
  } catch {
    return undefined
  }
}

function refuse(error) {
  const system = `${process.platform} on ${process.arch}`
  const why = error
    ? `The one that came with it does not run here (${error.message}).`
    : `None comes with it for ${system}.`
  console.error(
    `Sluice needs Node ${neededMajor} or newer, and this is Node ${process.versions.node}. ${why}\n` +
      `Install Node ${neededMajor} (https://nodejs.org, or your system's package manager) and start again.`,
  )
  process.exit(1)
}
