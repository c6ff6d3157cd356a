import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { leaveOut } from './leave-out.ts'

const folder = join(import.meta.dirname, '../../../shared/recordings')

/** Where replies that real providers sent are at hand; they lie beside the repository, not in it. */
export const recordingsFolder = existsSync(folder) ? folder : undefined

/** One recorded file as text. */
export function recording(path: string): string {
  return readFileSync(join(folder, path), 'utf8')
}

/** The documents of a recorded stream, in order. */
export function recordedLines(path: string): readonly string[] {
  return recording(path)
    .split('\n')
    .filter((line) => line.trim() !== '')
}

/** A test that reads recordings. Where they are absent it is skipped, and says so; on CI that is a failure. */
export function testRecording(name: string, check: () => void | Promise<void>): void {
  test(name, (context) =>
    recordingsFolder !== undefined ? check() : leaveOut(context, `there is no folder ${folder}`),
  )
}
