/** Texts of the page of one provider. */
export const providerTexts = {
  settings: 'Settings',
  settingsOf: (name: string) => `Settings: ${name}`,
  hint: 'The settings in effect, and where each comes from.',
  unset: 'Nothing is set. The catalog and the defaults apply.',
  change: 'Change',
  add: 'Add a provider',
  addHint:
    'Choose a provider of the list below, or give a name for a server of your own: small letters, digits, dots and dashes.',
  addName: 'Name',
  addOpen: 'Continue',
  declared: 'This provider is declared in sluice.yaml or in the environment. Change it there.',
  locked:
    'The settings of this provider are encrypted with another key than those in SLUICE_ENCRYPTION_KEY. Add that key, or remove the provider.',
  needsSealing:
    'Providers can be added here once the gateway has an encryption key: set SLUICE_ENCRYPTION_KEY to what “openssl rand -base64 32” prints, and start it again.',
  onlyOwners: 'Only owners add and change providers.',
  remove: 'Remove this provider',
  removeHint: 'Routes with targets of this provider then use their other targets.',
  fields: {
    kind: ['Provider of the catalog', 'If the name does not say it, such as openai.'],
    type: ['Protocol', 'For a server that is not in the catalog, such as openai or anthropic.'],
    baseUrl: ['Base URL', 'Default: that of the catalog.'],
    region: ['Region', ''],
    project: ['Project', ''],
    resource: ['Resource', ''],
    apiVersion: ['API version', ''],
    proxy: ['Forward proxy', ''],
  },
  key: 'API key',
  keyHint: 'It is encrypted, and nobody can read it here again.',
  keyStored: 'Stored. Type another one to replace it.',
  moved: 'The key is asked again when a field changes where it is sent.',
  models: 'Models',
  modelsHint:
    'One id per line, or an id with its properties as JSON. Empty: the models that the provider lists.',
  badModel: 'A line is not valid JSON',
  wouldBeOff: 'These providers would be disabled',
  unknown: 'This provider does not exist yet',
  unknownHint: 'It is added when its plan is applied.',
} as const
