/** The part of audio-type that is used here; the package has no declarations. */
declare module 'audio-type' {
  /** A short name such as `mp3`, found by the first bytes; undefined if they are not audio. */
  export default function audioType(bytes: Uint8Array): string | undefined
}
