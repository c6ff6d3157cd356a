const withheld =
  /\b(?:do not|don['’]?t|never|without|avoid|refrain from|must not|mustn['’]?t|should not|shouldn['’]?t|instead of|rather than)\b(?! (?:forget|hesitate|worry|fail|mind|miss)\b)[^\n]{0,200}?(?=,|;|\b(?:but|just|only)\b|[.?!](?:\s|$)|\n|$)/gi

/** The request without the parts that say what not to do, if they are about the given matter. */
export function withoutWithheld(text: string, isAbout: (part: string) => boolean): string {
  return text.replace(withheld, (part) => (isAbout(part) ? '' : part))
}

const hypothetical =
  /^(?:so |and |but |well,? )?(?:how (?:do|can|could|should|would|does|to)|should|shall|may i|can i|could i|what (?:happens?|would|if)|why|is it|is there|would it|did|have|has|was|were)\b|^(?:is|are|am|do|does)\b[^?]{0,500}\?\s*$/i

/** Whether a sentence asks about an action instead of asking for it. */
export function asksAbout(sentence: string): boolean {
  return hypothetical.test(sentence.trim())
}
