// Installs what tests, documentation and benchmarks need beside what a start needs: `npm ci` leaves it out (.npmrc).
const { readFileSync } = require('node:fs')
const { spawnSync } = require('node:child_process')
const path = require('node:path')

const root = path.join(__dirname, '..')

/** Whether every package of package-lock.json is installed in its version, but those for other systems. */
function isComplete() {
  const { packages: wanted } = read('package-lock.json')
  const { packages: found } = read('node_modules/.package-lock.json')
  return Object.entries(wanted).every(
    ([folder, { version, optional, link }]) =>
      !folder.includes('node_modules/') ||
      link === true ||
      optional === true ||
      found[folder]?.version === version,
  )
}

function read(file) {
  try {
    return JSON.parse(readFileSync(path.join(root, file), 'utf8'))
  } catch {
    return { packages: {} }
  }
}

if (!isComplete()) {
  console.error('sluice: installing what tests need …')
  const options = ['ci', '--include=dev', '--no-audit', '--no-fund']
  const { status } = spawnSync('npm', options, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  process.exitCode = status ?? 1
}
