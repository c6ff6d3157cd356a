/** Why an OpenID Connect sign-in failed; the console has a message for each. */
export type SignInProblem =
  /** The user denied the request at the issuer. */
  | 'denied'
  /** The response does not match a request of this browser. */
  | 'state'
  /** The code was already used or has expired. */
  | 'expired'
  /** The issuer does not respond, or reports a temporary failure. */
  | 'unavailable'
  /** The issuer rejects the gateway's credentials or request. */
  | 'client'
  /** The token is invalid or not meant for this gateway. */
  | 'token'
  /** The clocks of the gateway and the issuer differ. */
  | 'clock'
  /** The user or its domain is not allowed to sign in. */
  | 'not_allowed'
  /** None of the user's groups is mapped to a role or a team. */
  | 'no_group'
  /** The team mapped to the user's group does not exist. */
  | 'no_team'
  /** There is no user for this person, and none may be created. */
  | 'unknown_user'
  /** The user, its team or organization is disabled or has expired, or the address is not allowed. */
  | 'disabled'
  /** Too many attempts from one address. */
  | 'too_many'
  /** An internal error of the gateway. */
  | 'failed'

/** Refuses a sign-in. The message is for the log only and contains no secret and no token content. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused'
  readonly problem: SignInProblem

  constructor(problem: SignInProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}
