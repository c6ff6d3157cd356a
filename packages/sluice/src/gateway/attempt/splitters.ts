import {
  createAwsEventSplitter,
  createEventSplitter,
  createJsonArraySplitter,
  type EventSplitter,
} from '@sluice/contract'

export type Framing = 'sse' | 'aws-event-stream' | 'json-array'

/** A fresh splitter of the framing a stream comes in. */
export const splitters: Readonly<Record<Framing, () => EventSplitter>> = {
  sse: createEventSplitter,
  'aws-event-stream': createAwsEventSplitter,
  'json-array': createJsonArraySplitter,
}

/** The content types that each framing may come with; none at all is taken for what was asked for. */
export const streamTypes: Readonly<Record<Framing, RegExp>> = {
  sse: /text\/event-stream|application\/octet-stream|^$/,
  'aws-event-stream': /vnd\.amazon\.eventstream|application\/octet-stream|^$/,
  'json-array': /json|^$/,
}
