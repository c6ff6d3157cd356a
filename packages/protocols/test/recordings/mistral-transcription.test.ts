import { expect } from 'vitest'
import { codecContext, received } from '../../../../test/support/codec-context.ts'
import { recording, testRecording } from '../../../../test/support/formats/recordings.ts'
import { providers } from '../../../gateway/src/providers/index.ts'

testRecording('a transcript with its segments', () => {
  const file = { filename: 'a.mp3', contentType: 'audio/mpeg', bytes: new Uint8Array([1]) }
  const { reply, usage } = providers
    .get('mistral')!
    .protocol.codecs.transcribe!.decode(
      received(recording('mistral/mistral-transcription.json')),
      codecContext(),
      { model: 'm', file, response_format: 'verbose_json' },
    )
  expect(reply.text).toMatch(
    /^Galileo was an American robotic space program .* to orbit Jupiter\.$/,
  )
  expect(reply.segments).toHaveLength(4)
  expect(reply.segments?.[1]).toMatchObject({ start: 9.1, end: 17.3, speaker_id: 'speaker_1' })
  expect(usage).toMatchObject({ inputTokens: 13, outputTokens: 151 })
})
