import {
  createAwsEventSplitter,
  createEventSplitter,
  createJsonArraySplitter,
  type EventSplitter,
} from '@sluice/contract'

export type Framing = 'sse' | 'aws-event-stream' | 'json-array'

/** The splitter of each framing a stream may come in; the rare ones are loaded when first needed. */
export async function createSplitter(framing: Framing): Promise<EventSplitter> {
  switch (framing) {
    case 'sse':
      return createEventSplitter()
    case 'aws-event-stream':
      return createAwsEventSplitter()
    case 'json-array':
      return createJsonArraySplitter()
  }
}
