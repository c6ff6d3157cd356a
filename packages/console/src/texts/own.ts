/** Texts of the page for callers who are not administrators. */
export const ownTexts = {
  limits: 'Remaining limits',
  noLimits: 'No limits apply.',
  models: 'By model, in the last 30 days',
  spent: 'Spent in 30 days',
  left: 'Remaining in its own budget',
  change: 'Change',
  noKeys: 'You have no keys yet',
  noKeysHint: 'A key lets a program send requests in your name. Create one, and copy its secret.',
  askHint:
    'A key lets a program send requests in your name. An administrator of your team creates them.',
  useHint: 'Replace YOUR_KEY with one of your keys.',
  yourKey: 'YOUR_KEY',
  levels: {
    key: 'this sign-in',
    user: 'you',
    team: 'your team',
    organization: 'your organization',
  },
} as const
