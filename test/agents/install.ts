import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmEnvironment, quiet, runProgram } from '../support/npm.ts'
import { installed } from './run-agent.ts'
import versions from './versions.json' with { type: 'json' }

/** Installs every agent at its version, which takes minutes the first time. Rejects where npm cannot fetch one. */
export async function installAgents(): Promise<void> {
  const file = join(installed, 'package.json')
  const wanted = JSON.stringify({ private: true, dependencies: versions })
  const complete = join(installed, 'complete')
  const isThere = existsSync(complete) && readFileSync(complete, 'utf8') === wanted
  if (isThere) return
  mkdirSync(installed, { recursive: true })
  writeFileSync(file, wanted)
  await runProgram('npm', ['install', ...quiet], { folder: installed, env: npmEnvironment() })
  writeFileSync(complete, wanted)
}
