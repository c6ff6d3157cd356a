import { GatewayError } from '@sluice/contract'

/** The properties of a voice. */
export interface Voice {
  /** Middle of the voice's range, in Hz. */
  readonly pitchHz: number
  /** Scale of the formants relative to an adult man's; above 1 means a smaller mouth. */
  readonly formantScale: number
  /** Share of breath in the voice, 0 to 1. */
  readonly breath: number
  /** How far the pitch moves; 1 is usual. */
  readonly liveliness: number
}

/** The voices of OpenAI's API by name. They differ as people's voices do, but do not imitate anybody. */
const voices: Readonly<Record<string, Voice>> = {
  alloy: { pitchHz: 150, formantScale: 1.06, breath: 0.05, liveliness: 0.9 },
  ash: { pitchHz: 108, formantScale: 0.99, breath: 0.04, liveliness: 1 },
  ballad: { pitchHz: 128, formantScale: 1.02, breath: 0.1, liveliness: 1.25 },
  cedar: { pitchHz: 94, formantScale: 0.95, breath: 0.04, liveliness: 0.9 },
  coral: { pitchHz: 205, formantScale: 1.15, breath: 0.07, liveliness: 1.2 },
  echo: { pitchHz: 114, formantScale: 1, breath: 0.03, liveliness: 0.9 },
  fable: { pitchHz: 155, formantScale: 1.07, breath: 0.06, liveliness: 1.4 },
  marin: { pitchHz: 190, formantScale: 1.13, breath: 0.05, liveliness: 1 },
  nova: { pitchHz: 215, formantScale: 1.17, breath: 0.04, liveliness: 1.15 },
  onyx: { pitchHz: 82, formantScale: 0.92, breath: 0.05, liveliness: 0.8 },
  sage: { pitchHz: 182, formantScale: 1.11, breath: 0.09, liveliness: 0.95 },
  shimmer: { pitchHz: 228, formantScale: 1.19, breath: 0.08, liveliness: 1.1 },
  verse: { pitchHz: 122, formantScale: 1.01, breath: 0.05, liveliness: 1.3 },
}

/** The voice with that name. Throws unsupported_value (param `voice`) for other names. */
export function findVoice(name: string): Voice {
  const voice = Object.hasOwn(voices, name) ? voices[name] : undefined
  if (voice === undefined)
    throw new GatewayError(
      'unsupported_value',
      `'${name.slice(0, 64)}' is no voice of this model. Voices: ${Object.keys(voices).join(', ')}`,
      { param: 'voice' },
    )
  return voice
}
