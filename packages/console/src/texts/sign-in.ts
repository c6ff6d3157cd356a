/** Texts of the sign-in page. */
export const signInTexts = {
  lead: 'One address in front of every model.',
  with: (name: string) => `Sign in with ${name}`,
  or: 'or with a key',
  key: 'Key',
  keyHint:
    'An administrator’s key or your own. The first start of the gateway keeps one in initial-keys.json in its data folder.',
  submit: 'Sign in',
  submitKey: 'Sign in with the key',
  show: 'Show the key',
  failed: 'You are not signed in',
  request: (id: string) => `The log of the gateway says more under ${id}.`,
  problems: {
    denied: 'The sign-in was cancelled, or you may not use this gateway.',
    state: 'This sign-in was not begun in this browser, or too long ago. Begin again here.',
    expired: 'The sign-in took too long, or its page was loaded twice. Begin again.',
    unavailable:
      'The sign-in service does not answer. Try again in a moment, or sign in with a key.',
    client: 'The sign-in service does not accept this gateway. Its settings have to be looked at.',
    token: 'The answer of the sign-in service is not valid. Its settings have to be looked at.',
    clock: 'The clocks of the gateway and the sign-in service differ too much.',
    not_allowed: 'Your account may not use this gateway.',
    no_group:
      'None of your groups may use this gateway. Whoever runs it can add one to the settings.',
    no_team: 'The team that your group stands for is not there. Whoever runs it can make it.',
    unknown_user: 'Nobody has made a user for you yet. Ask whoever runs this gateway.',
    disabled: 'Your user or your team is disabled, or may not be used from here.',
    too_many: 'Too many attempts from your address. Wait a minute.',
    failed: 'Something went wrong in the gateway.',
  },
} as const
