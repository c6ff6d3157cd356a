import {
  createAwsEventSplitter,
  createEventSplitter,
  createJsonArraySplitter,
  type EventSplitter,
  type PlainForm,
} from '@sluice/contract'

export type Framing = 'sse' | 'aws-event-stream' | 'json-array'

/** Creates an event splitter for the framing of a stream. Only `sse` finds plain events. */
export const splitters: Readonly<Record<Framing, (form?: PlainForm) => EventSplitter>> = {
  sse: createEventSplitter,
  'aws-event-stream': createAwsEventSplitter,
  'json-array': createJsonArraySplitter,
}

/** The content types accepted for each framing. A missing content type is accepted for all. */
export const streamTypes: Readonly<Record<Framing, RegExp>> = {
  sse: /text\/event-stream|application\/octet-stream|^$/,
  'aws-event-stream': /vnd\.amazon\.eventstream|application\/octet-stream|^$/,
  'json-array': /json|^$/,
}
