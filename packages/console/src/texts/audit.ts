/** Texts of the audit log page. */
export const auditTexts = {
  number: 'No.',
  at: 'When',
  actor: 'Actor',
  action: 'Action',
  target: 'Target',
  change: 'Change',
  show: 'Show',
  before: 'Before',
  after: 'After',
  nothing: 'Nothing',
  none: 'No changes yet',
  noneHint:
    'Changes to keys, users, teams and organizations appear here, with the person who made them.',
} as const
