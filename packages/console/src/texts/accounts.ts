/** Texts of the pages about organizations, teams and users. */
export const accountTexts = {
  kinds: {
    organization: {
      title: 'Organizations',
      create: 'Create an organization',
      none: 'There are no organizations yet',
      hint: 'An organization holds teams and users, and what it may spend bounds them all.',
    },
    team: {
      title: 'Teams',
      create: 'Create a team',
      none: 'There are no teams yet',
      hint: 'A team has users and keys, and limits that hold for all of them together.',
    },
    user: {
      title: 'Users',
      create: 'Create a user',
      none: 'There are no users yet',
      hint: 'A user has keys, and limits that hold for all of them together.',
    },
  },
  parent: 'Is in',
  noParent: 'Nothing',
  created: 'Created',
  state: 'State',
  enabled: 'Enabled',
  disabled: 'Disabled',
  remove: 'Delete',
  removeTitle: 'Delete it?',
  removeHint: 'Nothing may belong to it but revoked keys.',
  keys: 'Keys',
  noKeys: 'No key belongs to it itself.',
  inside: { team: 'Teams', user: 'Users' },
  spent: 'Spent in the last 30 days',
  calls: 'Calls in the last 30 days',
} as const
