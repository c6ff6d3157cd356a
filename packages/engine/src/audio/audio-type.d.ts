/** The part of audio-type that is used here: the package brings no declarations. */
declare module 'audio-type' {
  /** A short name such as `mp3`, by the first bytes; undefined for what is no sound. */
  export default function audioType(bytes: Uint8Array): string | undefined
}
