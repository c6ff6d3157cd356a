/** Why somebody could not sign in by OpenID Connect: the console has a sentence for each. */
export type SignInProblem =
  /** They said no at the issuer. */
  | 'denied'
  /** The answer of the issuer is not to a question that this browser asked. */
  | 'state'
  /** The code was used before, or too late. */
  | 'expired'
  /** The issuer does not answer, or says that it cannot for now. */
  | 'unavailable'
  /** The issuer does not take the gateway's own credentials or request. */
  | 'client'
  /** What came is not what the issuer may say, or not meant for this gateway. */
  | 'token'
  /** The clocks of the gateway and the issuer differ. */
  | 'clock'
  /** Their domain or they themselves are not among those who may sign in. */
  | 'not_allowed'
  /** None of their groups is mapped to a role or a team. */
  | 'no_group'
  /** The team that their group is mapped to is not there. */
  | 'no_team'
  /** Nobody has made a user for them. */
  | 'unknown_user'
  /** Their user, team or organization is disabled, has expired, or may not be used from this address. */
  | 'disabled'
  /** Too many attempts from one address. */
  | 'too_many'
  /** Something went wrong in the gateway. */
  | 'failed'

/** Refuses a sign-in. The message is for the log alone: no secret and nothing of a token is in it. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused'
  readonly problem: SignInProblem

  constructor(problem: SignInProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}
