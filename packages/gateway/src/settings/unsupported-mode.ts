/** The policies for fields a target cannot express, strictest first. */
export const unsupportedModes = ['refuse', 'hints', 'report'] as const

export type UnsupportedMode = (typeof unsupportedModes)[number]

export function isUnsupportedMode(text: string): text is UnsupportedMode {
  return unsupportedModes.some((mode) => mode === text)
}
