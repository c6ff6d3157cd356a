import type { OperationName } from '@sluice/contract'

/**
 * What fields of OpenAI's API mean that this gateway's operations do not have, for targets that do not have them either: see
 * `Decisions`. An upstream with OpenAI's API gets them unchanged. A field that is listed nowhere counts as a hint.
 */
export const furtherFields: {
  readonly [O in OperationName]?: Readonly<Record<string, 'hint' | 'refused'>>
} = {
  chat: {
    // What violates a policy is then not answered.
    moderation: 'refused',
    prompt_cache_options: 'hint',
    prompt_cache_retention: 'hint',
  },
  createImage: {
    complexity: 'hint',
    frame_count: 'refused',
    frame_duration_ms: 'refused',
    safety_identifier: 'hint',
    svg: 'refused',
  },
  editImage: {
    complexity: 'hint',
    frame_count: 'refused',
    frame_duration_ms: 'refused',
    markup: 'refused',
    safety_identifier: 'hint',
    svg: 'refused',
  },
}
