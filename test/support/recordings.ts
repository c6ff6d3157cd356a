import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../../../shared/recordings')

/** Whether replies that real providers sent are at hand; they lie beside the repository, not in it. */
export const recordingsArePresent = existsSync(folder)

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

/** A test that reads recordings. Where they are absent it says so; on CI that is a failure. */
export function testRecording(name: string, check: () => void | Promise<void>): void {
  test(`${name}`, async () => {
    if (recordingsArePresent) return check()
    console.warn(`Left out, because there is no folder ${folder}: ${name}`)
    expect(process.env['CI'], 'recordings are needed on CI').toBeUndefined()
  })
}
