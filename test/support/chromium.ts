import { existsSync } from 'node:fs'
import { expect, type TestContext } from 'vitest'

const candidates = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser of this machine, if it has one. */
export const chromium = candidates.find((file) => existsSync(file))

/** Says that a browser test is left out and why. Where every check must have run (CI=true) that is a failure. */
export function leaveOutBrowser(context: TestContext): void {
  const reason = 'left out: there is no Chromium in /usr/bin (apt-get install chromium)'
  if (process.env['CI']) expect.fail(reason)
  console.warn(`${context.task.name}: ${reason}`)
  context.skip(reason)
}
