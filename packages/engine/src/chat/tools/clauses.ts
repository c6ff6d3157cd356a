import { sentencesOf } from '../text/sentences.ts'

const verbs =
  'get|set|find|search|look|list|create|make|fetch|read|show|check|update|send|email|text|call|book|reserve|schedule|remind|translate|convert|calculate|compute|play|turn|add|delete|remove|cancel|order|buy|open|close|start|stop|tell|give|what|who|where|when|how|is|multiply|divide|subtract|sum|post|write|save|summarize|count'
const boundary = new RegExp(
  String.raw`(?:,|;)? ?\b(?:and then|then|and also|also|after that|and) (?=(?:please |also )?(?:${verbs})\b)|; `,
  'gi',
)

/** The requests within a request: its sentences, and the parts of a sentence that begin with their own verb. */
export function clausesOf(text: string): string[] {
  return sentencesOf(text)
    .flatMap((sentence) => sentence.split(boundary))
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '')
    .slice(0, 50)
}
