import { expect, test } from 'vitest'
import { addressListOf, isListed } from '../../src/settings/address-block.ts'

test.each([
  ['10.1.2.3', true],
  ['::ffff:10.1.2.3', true],
  ['::ffff:0a01:0203', true],
  ['::FFFF:a01:203', true],
  ['0:0:0:0:0:ffff:a01:203', true],
  ['0000:0000:0000:0000:0000:ffff:0a01:0203', true],
  ['::ffff:0b01:0203', false],
  ['11.1.2.3', false],
  // Not a mapped address.
  ['::a01:203', false],
  ['64:ff9b::a01:203', false],
  ['2001:db8::1', true],
  ['2001:DB8:0::1', true],
  ['2001:db9::1', false],
  // The zone names a link of whoever wrote it.
  ['fe80::1%eth0', true],
  ['::ffff:', false],
  ['10.1.2.3.4', false],
  ['', false],
])('matches the address %s against blocks: %s', (address, isIn) => {
  const list = addressListOf(['10.0.0.0/8', '2001:db8::/32', 'fe80::/10'])
  expect(isListed(list, address)).toBe(isIn)
})
