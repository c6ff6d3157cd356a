/** Texts of the pages about keys. */
export const keyTexts = {
  name: 'Name',
  secret: 'Secret',
  state: 'State',
  created: 'Created',
  lastUsed: 'Last used',
  valid: 'Valid',
  disabled: 'Disabled',
  revoked: 'Revoked',
  expired: 'Expired',
  none: 'There are no keys yet',
  noneHint: 'A key lets a program call models. Keys of the settings are not listed here.',
} as const
