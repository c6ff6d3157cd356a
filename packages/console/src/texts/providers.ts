/** Texts of the page of one provider. */
export const providerTexts = {
  settings: 'Settings',
  settingsOf: (name: string) => `Settings: ${name}`,
  hint: 'As they hold now. Where it is, and which key it gets, stands in sluice.yaml and in the environment alone.',
  unset: 'Nothing is set: everything is as the catalogue and the defaults say.',
  change: 'Change',
  models: 'Models',
  modelsHint:
    'An id on each line, or one with its properties as JSON. Empty: what the provider lists.',
  badModel: 'A line is no JSON',
  wouldBeOff: 'These providers would be off',
  unknown: 'There is no such provider',
} as const
