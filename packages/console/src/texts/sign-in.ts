/** Texts of the sign-in page. */
export const signInTexts = {
  lead: 'One address in front of every model.',
  with: (name: string) => `Sign in with ${name}`,
  or: 'or with a key',
  key: 'Key',
  keyHint:
    'An administrator key or your own key. The first start of the gateway saves one in initial-keys.json in its data folder.',
  submit: 'Sign in',
  submitKey: 'Sign in with the key',
  show: 'Show the key',
  failed: 'You are not signed in',
  request: (id: string) => `For details, search the gateway’s log for ${id}.`,
  problems: {
    denied: 'The sign-in was cancelled, or you may not use this gateway.',
    state: 'This sign-in was not started in this browser, or has expired. Start again here.',
    expired: 'The sign-in took too long, or its page was loaded twice. Start again.',
    unavailable:
      'The sign-in service does not respond. Try again in a moment, or sign in with a key.',
    client: 'The sign-in service does not accept this gateway. Check the settings.',
    token: 'The response of the sign-in service is not valid. Check the settings.',
    clock: 'The clocks of the gateway and the sign-in service differ too much.',
    not_allowed: 'Your account may not use this gateway.',
    no_group: 'None of your groups may use this gateway. Its operator can add one in the settings.',
    no_team: 'The team for your group does not exist. The operator can create it.',
    unknown_user: 'There is no user for you yet. Ask the operator of this gateway.',
    disabled: 'Your user or your team is disabled, or may not be used from here.',
    too_many: 'Too many attempts from your address. Wait a minute.',
    failed: 'Something went wrong in the gateway.',
  },
} as const
