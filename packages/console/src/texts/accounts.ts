/** Texts of the pages about organizations, teams and users. */
export const accountTexts = {
  kinds: {
    organization: {
      title: 'Organizations',
      create: 'Create an organization',
      none: 'No organizations yet',
      hint: 'An organization contains teams and users. Its limits and budgets apply to all of them together.',
    },
    team: {
      title: 'Teams',
      create: 'Create a team',
      none: 'No teams yet',
      hint: 'A team contains users and keys. Its limits apply to all of them together.',
    },
    user: {
      title: 'Users',
      create: 'Create a user',
      none: 'No users yet',
      hint: 'Add a user to give one person several keys that share their limits.',
    },
  },
  parent: 'Member of',
  noParent: '–',
  created: 'Created',
  about: 'State and limits',
  state: 'State',
  enabled: 'Enabled',
  disabled: 'Disabled',
  remove: 'Delete',
  removeTitle: 'Delete it?',
  removeHint: 'This is only possible if it contains nothing except revoked keys.',
  signsInBy: 'Signs in with',
  openIdConnect: 'OpenID Connect',
  unlink: 'Unlink',
  unlinkTitle: 'Unlink this identity?',
  unlinkHint:
    'Their sessions end. The next person who signs in with the name of this user is linked to it.',
  keys: 'Keys',
  spent: 'Spent in the last 30 days',
  calls: 'Requests in the last 30 days',
} as const
