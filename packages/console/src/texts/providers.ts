/** Texts of the page of one provider. */
export const providerTexts = {
  settings: 'Settings',
  settingsOf: (name: string) => `Settings: ${name}`,
  hint: 'The settings in effect. The base URL and the key can only be changed in sluice.yaml or in the environment.',
  unset: 'Nothing is set. The catalogue and the defaults apply.',
  change: 'Change',
  models: 'Models',
  modelsHint:
    'One id per line, or an id with its properties as JSON. Empty: the models that the provider lists.',
  badModel: 'A line is not valid JSON',
  wouldBeOff: 'These providers would be disabled',
  unknown: 'There is no such provider',
} as const
