/** What can happen to fields that a target cannot express, the strictest first. */
export const unsupportedModes = ['refuse', 'hints', 'report'] as const

export type UnsupportedMode = (typeof unsupportedModes)[number]

export function isUnsupportedMode(text: string): text is UnsupportedMode {
  return unsupportedModes.some((mode) => mode === text)
}
