import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { leaveOut } from '../leave-out.ts'

const folder = join(import.meta.dirname, '../../../../shared/recordings')

/** The folder of responses recorded from real providers, if available; it is stored beside the repository, not in it. */
export const recordingsFolder = existsSync(folder) ? folder : undefined

/** The text of one recorded file. */
export function recording(path: string): string {
  return readFileSync(join(folder, path), 'utf8')
}

/** The documents of a recorded stream, in order. */
export function recordedLines(path: string): readonly string[] {
  return recording(path)
    .split('\n')
    .filter((line) => line.trim() !== '')
}

/** A test that reads recordings. Without them it is reported as skipped; on CI it fails. */
export function testRecording(name: string, check: () => void | Promise<void>): void {
  test(name, (context) =>
    recordingsFolder !== undefined ? check() : leaveOut(context, `there is no folder ${folder}`),
  )
}
