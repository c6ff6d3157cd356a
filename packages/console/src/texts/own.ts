/** Texts of the page for callers who are not administrators. */
export const ownTexts = {
  limits: 'What is left',
  noLimits: 'No limits hold.',
  models: 'By model, in the last 30 days',
  spent: 'Spent in 30 days',
  left: 'Left of its own budget',
  change: 'Change',
  noKeys: 'You have no keys yet',
  noKeysHint: 'A key lets a program call models in your name. Create one, and copy its secret.',
  askHint:
    'A key lets a program call models in your name. An administrator of your team makes them.',
  useHint: 'Put a key of yours in the place of YOUR_KEY.',
  yourKey: 'YOUR_KEY',
  levels: {
    key: 'this sign-in',
    user: 'you',
    team: 'your team',
    organization: 'your organization',
  },
} as const
