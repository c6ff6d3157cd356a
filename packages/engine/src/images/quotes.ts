/** Placeholders for quoted texts begin at this character. Quotes are removed before anything else is read. */
const quoteStart = 0xe000
const quotesMax = 64

/** A character class that matches one placeholder. */
export const quotePlaceholder = '[\\ue000-\\ue03f]'

interface Quoted {
  /** In lower case, with one placeholder character for each quoted text. */
  readonly text: string
  readonly quotes: readonly string[]
}

const quotePattern =
  /"[^"]{1,400}"|“[^”]{1,400}”|「[^」]{1,400}」|『[^』]{1,400}』|«[^»]{1,400}»|(?<![\p{L}\p{N}])['‘][^'’]{1,400}['’](?!\p{L})/gu

/** Takes quoted texts out of a prompt and converts the rest to lower case. */
export function takeQuotes(prompt: string): Quoted {
  const quotes: string[] = []
  const text = prompt.replaceAll(/[\ue000-\uf8ff]/g, ' ').replaceAll(quotePattern, (whole) => {
    const words = whole.slice(1, -1).trim()
    if (words === '' || quotes.length >= quotesMax) return whole
    quotes.push(words)
    return String.fromCharCode(quoteStart + quotes.length - 1)
  })
  return { text: text.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase(), quotes }
}

/** Puts the quoted texts back, for a phrase that is shown to the caller. */
export function withQuotes(text: string, quotes: readonly string[]): string {
  return text.replaceAll(new RegExp(quotePlaceholder, 'g'), (placeholder) => {
    const quote = quotes[placeholder.charCodeAt(0) - quoteStart]
    return quote === undefined ? placeholder : `"${quote}"`
  })
}
