import { parse } from 'yaml'
import { absoluteConfigFile } from '../config/config.ts'
import { parsePath, removeSetting, replaceFile, setSetting } from '../config/edit.ts'
import type { Environment } from '../config/env.ts'
import { parseConfig } from '../config/file.ts'
import { readTextIfAny } from '../config/read-text.ts'
import { CommandError } from './command-error.ts'

export interface ConfigChange {
  /** YAML; absent removes the setting. */
  readonly value?: string
  readonly json?: boolean
}

/** Changes one setting of the settings file. A change that would make the file invalid is not written. */
export function changeConfig(
  environment: Environment,
  path: string,
  { value, json = false }: ConfigChange,
): string {
  const file = absoluteConfigFile(environment)
  const before = readTextIfAny(file)
  const steps = parsePath(path)
  const after =
    value === undefined
      ? removeSetting(before, steps)
      : setSetting(before, steps, parseValue(value))
  const changed = after !== before
  if (changed) {
    parseConfig(after, file, environment.variables)
    replaceFile(file, after)
  }
  if (json) return JSON.stringify({ file, changed }, null, 2)
  return changed
    ? `${file} is changed; a running gateway applies it at once.`
    : `${file} has this value already.`
}

function parseValue(text: string): unknown {
  try {
    return parse(text)
  } catch (cause) {
    throw new CommandError(`The value is not YAML: ${JSON.stringify(text)}`, { cause })
  }
}
