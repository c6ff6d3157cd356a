import { GatewayError } from '@sluice/contract'

/** One of Flite's voices, and how it speaks. */
export interface Voice {
  readonly name: 'kal16' | 'awb' | 'rms' | 'slt'
  /** In Hz. */
  readonly pitch: number
}

/**
 * The voices of OpenAI's API by name; they do not imitate anybody. `kal16` joins recorded sounds, which is quick; the others are
 * modelled and more natural. `rms` has its own pitch.
 */
const voices: ReadonlyMap<string, Voice> = new Map([
  ['alloy', { name: 'kal16', pitch: 110 }],
  ['ash', { name: 'rms', pitch: 100 }],
  ['ballad', { name: 'awb', pitch: 100 }],
  ['cedar', { name: 'kal16', pitch: 80 }],
  ['coral', { name: 'slt', pitch: 180 }],
  ['echo', { name: 'kal16', pitch: 95 }],
  ['fable', { name: 'awb', pitch: 140 }],
  ['marin', { name: 'slt', pitch: 200 }],
  ['nova', { name: 'slt', pitch: 165 }],
  ['onyx', { name: 'kal16', pitch: 70 }],
  ['sage', { name: 'slt', pitch: 150 }],
  ['shimmer', { name: 'slt', pitch: 220 }],
  ['verse', { name: 'awb', pitch: 120 }],
])

/** Throws unsupported_value (param `voice`) for an unknown name. */
export function findVoice(name: string): Voice {
  const voice = voices.get(name)
  if (voice !== undefined) return voice
  throw new GatewayError(
    'unsupported_value',
    `'${name.slice(0, 64)}' is no voice of this model. Voices: ${[...voices.keys()].join(', ')}`,
    { param: 'voice' },
  )
}
