import { expect, type TestContext } from 'vitest'

/**
 * Marks a test as skipped and prints its name and the reason, such as "there is no Chromium". If every check must run
 * (CI=true), it fails instead.
 */
export function leaveOut(context: TestContext, reason: string): never {
  if (process.env['CI']) expect.fail(`left out: ${reason}`)
  console.warn(`${context.task.name}: left out: ${reason}`)
  return context.skip(`left out: ${reason}`)
}
