import { type ErrorCode, errorCodes, GatewayError } from '../../packages/contract/src/index.ts'
import { errorMeanings } from './error-meanings.ts'

const blames = {
  caller: 'the caller’s request',
  upstream: 'the provider; other targets are asked before this is answered',
  operator: 'the gateway or its settings',
}

/** The page of one code. */
export function errorPage(code: ErrorCode): readonly string[] {
  const error = new GatewayError(code, 'What went wrong, in a sentence', { param: 'field' })
  const { when, help } = errorMeanings[code]
  return [
    `# ${code}`,
    '',
    when,
    '',
    `**What helps:** ${help}`,
    '',
    `| | |`,
    '|---|---|',
    `| status | ${error.status}${code === 'upstream_rejected' ? ', or the provider’s own' : ''} |`,
    `| \`error.type\` | \`${error.type}\` |`,
    `| \`error.code\` | ${error.publicCode === null ? '`null`' : `\`${error.publicCode}\``} |`,
    `| about | ${blames[error.blame]} |`,
    `| in the log | \`code: ${code}\` |`,
    '',
    'The body in the words of OpenAI; Anthropic’s and Gemini’s clients get it in theirs.',
    '',
    '```json',
    JSON.stringify(error.toJSON(), null, 2),
    '```',
  ]
}

/** The list of all codes. */
export function errorList(): readonly string[] {
  const rows = errorCodes.map((code) => {
    const error = new GatewayError(code, '')
    const shown = error.publicCode === null ? '' : `\`${error.publicCode}\``
    return `| ${error.status} | [${code}](./${code}) | ${shown} | ${errorMeanings[code].when} |`
  })
  return [
    '# Errors',
    '',
    'The name is what the log says as `code`; `error.code` is what callers see. A failed attempt is told to the caller only where no other target was left to ask.',
    '',
    '| status | name | `error.code` | when |',
    '|---|---|---|---|',
    ...rows,
  ]
}
