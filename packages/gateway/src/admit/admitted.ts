import type { Call } from '../call/call.ts'
import type { Route } from '../route/routing.ts'

class AdmittedCall {
  /** Makes the type nominal: no other object has it. */
  declare private readonly isAdmitted: true
  readonly call: Call
  readonly route: Route

  constructor(call: Call, route: Route) {
    this.call = call
    this.route = route
  }
}

/** A call that may run: what it may use is reserved for this route. Nothing else can be run. */
export type Admitted = AdmittedCall

/** For `admit.ts` alone, once the reservation is made. *(tidy test)* */
export function admittedCall(call: Call, route: Route): Admitted {
  return new AdmittedCall(call, route)
}
