import { elevenlabs as elevenlabsProtocol } from '@sluice/protocols/elevenlabs/index.ts'
import { header, type Provider } from './provider.ts'

export const elevenlabs: Provider = {
  id: 'elevenlabs',
  name: 'ElevenLabs',
  protocol: elevenlabsProtocol,
  baseUrl: 'https://api.elevenlabs.io',
  environment: ['ELEVENLABS_API_KEY'],
  credentials: header('xi-api-key'),
  models: [
    { id: 'scribe_v2' },
    { id: 'scribe_v1' },
    { id: 'eleven_multilingual_v2' },
    { id: 'eleven_flash_v2_5' },
  ],
  documentation: 'https://elevenlabs.io/docs/api-reference',
}
