import { deepgram as deepgramProtocol } from '@sluice/protocols/deepgram/index.ts'
import type { Provider } from './provider.ts'

export const deepgram: Provider = {
  id: 'deepgram',
  name: 'Deepgram',
  protocol: deepgramProtocol,
  baseUrl: 'https://api.deepgram.com',
  environment: ['DEEPGRAM_API_KEY'],
  credentials: (secret) => ({ authorization: `Token ${secret}` }),
  models: [{ id: 'nova-3' }, { id: 'nova-2' }, { id: 'aura-2' }],
  documentation: 'https://developers.deepgram.com/reference',
}
