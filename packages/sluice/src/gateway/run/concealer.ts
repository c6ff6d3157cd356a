import { GatewayError } from '@sluice/contract'

/** What no caller may read, and of it what no log may hold. */
export interface Concealed {
  /** Keys, passwords and header values, which are seen by nobody. */
  readonly secrets: Iterable<string>
  /** Names and addresses of upstreams that are nobody's business but the operator's, who finds his way by them in the log. */
  readonly hosts: Iterable<string>
}

const veil = '***'
/** A shorter text is no secret, and could stand in any word. */
const secretLengthMin = 8
/** So much of an upstream's words is looked at; a secret that ends behind it is cut off with the word it stands in. */
const readMax = 20_000
const shownMax = 2_000

const secretLike =
  /\b(?:sk|pk|rk|gsk|xai|key|AIza|hf|nvapi)[-_][A-Za-z0-9_\-*.]{6,}|\bAIza[\w-]{20,}|\bya29\.[\w-]+|Bearer\s+\S+/g
const addressLike =
  /\b(?:https?|wss?):\/\/[^\s"'<>)]+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[0-9a-f]*:[0-9a-f:.]+\](?::\d+)?/gi
/** Links to documentation are worth showing; numbers, ports and single names are somebody's inside. */
const publicAddress = /^https:\/\/[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*\.[a-z]{2,}(?:[/?#]|$)/i
const nameLike = /[a-z0-9.-]+/gi
const fileLike = /(?<![\w.:/])\/(?:srv|home|root|usr|opt|var|etc|Users)\/[^\s"'<>),;]+/g
/** Domains that no public name ends in (RFC 6762 appendix G, RFC 8375, Kubernetes). */
const insideDomain =
  /.\.(?:internal|intranet|private|corp|home|lan|local|localdomain|home\.arpa|svc)\.?$/i

/**
 * Takes out of upstreams' words what the settings hold, literally, and what looks like a credential or an address of
 * somebody's inside. What was configured once stays hidden as long as the process lives.
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

  /** For callers: without secrets and without addresses of the inside; 2,000 characters at most. */
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
    const { param, publicCode, upstreamCode, upstreamRequestId, cause } = details
    const shown = new GatewayError(error.code, this.shown(error.message), {
      ...details,
      ...(param !== undefined && { param: this.shown(param) }),
      ...(publicCode !== undefined && { publicCode: this.shown(publicCode) }),
      ...(upstreamCode !== undefined && { upstreamCode: this.shown(upstreamCode) }),
      ...(upstreamRequestId !== undefined && { upstreamRequestId: this.shown(upstreamRequestId) }),
      ...(cause !== undefined && { cause: this.#causeOf(cause) }),
    })
    this.#concealed.add(shown)
    return shown
  }

  /** A value of JSON whose texts callers may see. */
  concealTexts(value: unknown): unknown {
    return JSON.parse(
      JSON.stringify(value, (_name, part: unknown) =>
        typeof part === 'string' ? this.shown(part) : part,
      ),
    )
  }

  #causeOf(cause: unknown): unknown {
    if (typeof cause === 'string') return this.logged(cause)
    // The engine's own words of broken JSON quote the text, which is an answer or a prompt: they are never logged.
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
  // The longest first: a secret may be the beginning of another.
  const sorted = patterns.toSorted((left, right) => right.length - left.length)
  return new RegExp(sorted.join('|'), 'gi')
}

/** The text as a pattern that matches itself. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** A name without a dot may be any word, so that it is an address only where it stands as one. */
function hostPatterns(host: string): readonly string[] {
  const literal = escaped(host)
  if (/[.:]/.test(host)) return [literal]
  return [`(?<=//|@)${literal}\\b`, `\\b${literal}(?=:\\d)`, `(?<=ENOTFOUND )${literal}\\b`]
}
