import { beforeEach, describe, expect, test } from 'vitest'
import { sampleAudit } from '../../../../test/support/store-samples.ts'
import type { StoredSetting } from '../../../gateway/src/ports/stored-settings.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'

interface Subject {
  readonly store: Store
  openAnother(): Promise<Store>
}

const setting: StoredSetting = {
  section: 'models',
  name: 'fast',
  document: '"acme/a"',
  version: 1,
  changedAt: 9_007_199_254_740_991,
}

/** The meaning of the methods for stored settings: a part of the contract of Store. */
export function describeSettings(subjectOf: () => Subject): void {
  describe('settings', () => {
    let store: Store
    beforeEach(() => {
      store = subjectOf().store
    })

    test('are written, replaced and removed with an entry of the audit log, also for other processes', async () => {
      const another = await subjectOf().openAnother()
      const provider = { ...setting, section: 'providers', document: 'v1.a.b' } as const
      expect(
        await store.administer([{ setting: provider }, { setting }], sampleAudit({ sequence: 1 })),
      ).toBe(true)
      expect(await another.listSettings()).toEqual([setting, provider])
      const changed = { ...setting, document: '"acme/b"', version: 2, changedAt: 5 }
      await another.administer([{ setting: changed }], sampleAudit({ sequence: 2 }))
      expect(await store.listSettings()).toEqual([changed, provider])
      await store.administer([{ removedSetting: setting }], sampleAudit({ sequence: 3 }))
      expect(await another.listSettings()).toEqual([provider])
    })

    test('change nothing if another change came first', async () => {
      await store.administer([], sampleAudit({ sequence: 1 }))
      expect(await store.administer([{ setting }], sampleAudit({ sequence: 1 }))).toBe(false)
      expect(await store.listSettings()).toEqual([])
    })

    test('their version changes with them alone, and so does that of keys', async () => {
      const versions = async () => [await store.settingsVersion(), await store.keysVersion()]
      const [settings, keys] = await versions()
      await store.administer([{ setting }], sampleAudit({ sequence: 1 }))
      const [settingsAfter, keysAfter] = await versions()
      expect([settingsAfter !== settings, keysAfter !== keys]).toEqual([true, false])
      await store.administer([], sampleAudit({ sequence: 2 }))
      expect(await store.settingsVersion()).toBe(settingsAfter)
    })
  })
}
