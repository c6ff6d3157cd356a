import { existsSync } from 'node:fs'
import type { TestContext } from 'vitest'
import { leaveOut } from './leave-out.ts'

const candidates = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser of this machine, if it has one. */
export const chromium = candidates.find((file) => existsSync(file))

export function leaveOutBrowser(context: TestContext): void {
  leaveOut(context, 'there is no Chromium in /usr/bin (apt-get install chromium)')
}
