/** Node and undici reject responses whose headers exceed 16 KiB in total. */
const headerTextMax = 2_000

const visible = /^[\x20-\x7e]*$/

/** Header values may only hold visible ASCII. Other characters are percent-encoded, and very long values are cut. */
export function headerText(text: string): string {
  if (text.length <= headerTextMax && visible.test(text)) return text
  const encoded = text
    .slice(0, headerTextMax)
    .toWellFormed()
    .replace(/[^\x20-\x7e]/gu, (character) => encodeURIComponent(character))
  const isCut = text.length > headerTextMax || encoded.length > headerTextMax
  return isCut ? `${encoded.slice(0, headerTextMax)}...` : encoded
}
