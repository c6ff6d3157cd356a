import { GatewayError, objectOf } from '@sluice/contract'

/** What to mask for callers, and which part of it to mask in logs too. */
export interface Concealed {
  /** Keys, passwords and header values; masked everywhere. */
  readonly secrets: Iterable<string>
  /** Hosts of private upstreams; masked for callers only, because operators need them in the log. */
  readonly hosts: Iterable<string>
}

const veil = '***'
/** Shorter texts are not masked: they could be part of any word. */
const secretLengthMin = 8
/**
 * Only this much of an upstream's text is examined. It is cut at a word boundary, so that no part of a secret
 * remains.
 */
const readMax = 20_000
const shownMax = 2_000

const secretLike =
  /\b(?:sk|pk|rk|gsk|xai|key|AIza|hf|nvapi)[-_][A-Za-z0-9_\-*.]{6,}|\bAIza[\w-]{20,}|\bya29\.[\w-]+|Bearer\s+\S+/g
const addressLike =
  /\b(?:https?|wss?):\/\/[^\s"'<>)]+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[0-9a-f]*:[0-9a-f:.]+\](?::\d+)?/gi
/** Links to public documentation are kept. IP addresses, ports and single-label hosts are masked. */
const publicAddress = /^https:\/\/[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*\.[a-z]{2,}(?:[/?#]|$)/i
const nameLike = /[a-z0-9.-]+/gi
const fileLike = /(?<![\w.:/])\/(?:srv|home|root|usr|opt|var|etc|Users)\/[^\s"'<>),;]+/g
/** Domains that are never public (RFC 6762 appendix G, RFC 8375, Kubernetes). */
const insideDomain =
  /.\.(?:internal|intranet|private|corp|home|lan|local|localdomain|home\.arpa|svc)\.?$/i

/**
 * Masks configured values and anything that looks like a credential or private address in upstream texts. Values stay
 * masked for the life of the process, even if they are removed from the configuration.
 */
export class Concealer {
  readonly #secrets = new Set<string>()
  readonly #hosts = new Set<string>()
  readonly #concealed = new WeakSet<GatewayError>()
  #secretText: RegExp | undefined
  #hostText: RegExp | undefined

  learn({ secrets, hosts }: Concealed): void {
    for (const secret of secrets) {
      if (secret.length < secretLengthMin) continue
      this.#secrets.add(secret)
      this.#secrets.add(encodeURIComponent(secret))
    }
    for (const host of hosts) this.#hosts.add(host)
    this.#secretText = anyOf([...this.#secrets].map(escaped))
    this.#hostText = anyOf([...this.#hosts].flatMap(hostPatterns))
  }

  /** For the log: without secrets. */
  logged(text: string): string {
    const read = withoutBrokenWord(text, readMax)
    const rest = this.#secretText ? read.replace(this.#secretText, veil) : read
    return rest.replace(secretLike, veil)
  }

  /** For callers: without secrets and private addresses, at most 2,000 characters. */
  shown(text: string): string {
    const rest = this.logged(text)
    const named = this.#hostText ? rest.replace(this.#hostText, veil) : rest
    return named
      .replace(addressLike, (address) => (publicAddress.test(address) ? address : veil))
      .replace(fileLike, veil)
      .replace(nameLike, (name) => (insideDomain.test(name) ? veil : name))
      .slice(0, shownMax)
  }

  /** The error as callers may see it. Its cause is for the log. */
  conceal(error: GatewayError): GatewayError {
    if (this.#concealed.has(error)) return error
    const { details } = error
    const { param, publicCode, readable, upstreamCode, upstreamRequestId, cause } = details
    const shown = new GatewayError(error.code, this.shown(error.message), {
      ...details,
      ...(param !== undefined && { param: this.shown(param) }),
      ...(publicCode !== undefined && { publicCode: this.shown(publicCode) }),
      ...(readable !== undefined && { readable: objectOf(this.concealTexts(readable)) }),
      ...(upstreamCode !== undefined && { upstreamCode: this.shown(upstreamCode) }),
      ...(upstreamRequestId !== undefined && { upstreamRequestId: this.shown(upstreamRequestId) }),
      ...(cause !== undefined && { cause: this.#causeOf(cause) }),
    })
    this.#concealed.add(shown)
    return shown
  }

  /** A JSON value with all strings masked for callers. */
  concealTexts<Value>(value: Value): Value {
    return JSON.parse(
      JSON.stringify(value, (_name, part: unknown) =>
        typeof part === 'string' ? this.shown(part) : part,
      ),
    )
  }

  #causeOf(cause: unknown): unknown {
    if (typeof cause === 'string') return this.logged(cause)
    // V8's message for invalid JSON quotes the text, which may be a prompt or a response. It is never logged.
    if (!(cause instanceof Error) || cause instanceof SyntaxError) return cause
    return this.logged(cause.stack ?? cause.message)
  }
}

function withoutBrokenWord(text: string, max: number): string {
  if (text.length <= max) return text
  const space = text.lastIndexOf(' ', max)
  return text.slice(0, space < 0 ? 0 : space)
}

function anyOf(patterns: readonly string[]): RegExp | undefined {
  if (patterns.length === 0) return undefined
  // Longest first: a secret may be a prefix of another.
  const sorted = patterns.toSorted((left, right) => right.length - left.length)
  return new RegExp(sorted.join('|'), 'gi')
}

/** Escapes a text for use in a regular expression. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** A host without a dot may be an ordinary word, so it is masked only where it is used as an address. */
function hostPatterns(host: string): readonly string[] {
  const literal = escaped(host)
  if (/[.:]/.test(host)) return [literal]
  return [`(?<=//|@)${literal}\\b`, `\\b${literal}(?=:\\d)`, `(?<=ENOTFOUND )${literal}\\b`]
}
