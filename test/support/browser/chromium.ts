import { existsSync } from 'node:fs'
import { type Browser, chromium as playwright } from 'playwright-core'
import type { TestContext } from 'vitest'
import { leaveOut } from '../leave-out.ts'

const candidates = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser installed on this machine, if any. */
export const chromium = candidates.find((file) => existsSync(file))

export function leaveOutBrowser(context: TestContext): never {
  return leaveOut(context, 'there is no Chromium in /usr/bin (apt-get install chromium)')
}

/** A browser starts slowly on a busy machine. */
export const browserWait = { timeout: 150_000 }

export function openBrowser(executablePath: string): Promise<Browser> {
  return playwright.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      '--no-first-run',
      // The browser's own network requests would only wait for a network that a test must not need.
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
