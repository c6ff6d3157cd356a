// What only a checkout needs before it runs: a bundle of the sources as they are now.
const { readFileSync, rmSync, statSync } = require('node:fs')
const path = require('node:path')

const root = path.join(__dirname, '..')
const stampFiles = {
  program: path.join(root, 'dist', '.stamp.json'),
  console: path.join(root, 'dist', '.console-stamp.json'),
}

/** Whether all of dist/, or what a stamp stands for, was made of the files that are there now: the same sizes and times of change. */
function isFresh(stampFile) {
  if (stampFile === undefined) return Object.values(stampFiles).every((one) => isFresh(one))
  try {
    const { inputs } = JSON.parse(readFileSync(stampFile, 'utf8'))
    return inputs.every(([file, size, changed]) => {
      const found = statSync(path.join(root, file), { throwIfNoEntry: false })
      return found !== undefined && found.size === size && found.mtimeMs === changed
    })
  } catch {
    return false
  }
}

/** Makes dist/ anew if it is not fresh, in a process of its own: the bundler's memory is not the gateway's. */
function ensureBundle() {
  if (isFresh()) return true
  if (!isInstalled('rolldown')) {
    tell('development dependencies are not installed, so the sources run as they are')
    return false
  }
  tell('bundling the sources …')
  const { spawnSync } = require('node:child_process')
  const script = path.join(__dirname, 'build.ts')
  const { status } = spawnSync(process.execPath, [script, '--if-stale'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) tell('the bundle could not be made, so the sources run as they are')
  return status === 0
}

/** Removes the C headers of the Node that npm installed (67 MB): only the build of a native addon reads them, and nothing here has one. */
function removeHeaders() {
  const node = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  rmSync(path.join(root, 'node_modules', node, 'include'), { recursive: true, force: true })
}

function isInstalled(name) {
  try {
    return require.resolve(name) !== ''
  } catch {
    return false
  }
}

function tell(text) {
  process.stderr.write(`sluice: ${text}\n`)
}

module.exports = { ensureBundle, isFresh, stampFiles }

// Run by npm after an installation. Where no Node of the right version is at hand, the start will say so.
if (require.main === module) {
  removeHeaders()
  if (Number.parseInt(process.versions.node, 10) >= 24) ensureBundle()
}
