/** Texts of the audit log page. */
export const auditTexts = {
  number: 'No.',
  at: 'When',
  actor: 'Who',
  action: 'What',
  target: 'To what',
  change: 'Change',
  show: 'Show',
  before: 'Before',
  after: 'After',
  nothing: 'Nothing',
  none: 'Nothing was administered yet',
  noneHint: 'Each change of keys, users, teams and organizations will be here, with who made it.',
} as const
