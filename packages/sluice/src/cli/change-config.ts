import { parse } from 'yaml'
import { absoluteConfigFile } from '../config/config.ts'
import { parsePath, removeSetting, replaceFile, setSetting } from '../config/edit.ts'
import type { Environment } from '../config/env.ts'
import { parseConfig } from '../config/file.ts'
import { readTextIfAny } from '../config/read-text.ts'
import { CommandError } from './command-error.ts'

/** Changes one setting of the settings file. A change that would break the file is not written. */
export function changeConfig(
  environment: Environment,
  path: string,
  change: { readonly value: string } | 'remove',
): string {
  const file = absoluteConfigFile(environment)
  const before = readTextIfAny(file)
  const steps = parsePath(path)
  const after =
    change === 'remove'
      ? removeSetting(before, steps)
      : setSetting(before, steps, parseValue(change.value))
  if (after === before) return `${file} has this value already.`
  parseConfig(after, file, environment.variables)
  replaceFile(file, after)
  return `${file} is changed; a running gateway applies it at once.`
}

function parseValue(text: string): unknown {
  try {
    return parse(text)
  } catch (cause) {
    throw new CommandError(`The value is not YAML: ${JSON.stringify(text)}`, { cause })
  }
}
