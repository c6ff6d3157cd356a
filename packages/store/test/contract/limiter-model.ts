import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import '../../../../test/support/property-limits.ts'
import type { Claim, Reservation } from '../../../gateway/src/ports/limiter.ts'
import type { LimiterUnderTest } from './limiter.ts'
import { leaseMs, money, place, tokens } from './limiter-claims.ts'

/** Of money, so many that they carry from nanodollars into millionths of a dollar. */
const limits = { places: 3, money: 100 * 137, tokens: 60 }

/** Places with leases, a lifetime's money and tokens of which one flows in each second: counted in the plainest way. */
class Model {
  readonly held = new Map<string, number>()
  spent = 0
  tokens = limits.tokens
  time = 0

  pass(ms: number) {
    this.time += ms
    this.tokens = Math.min(limits.tokens, this.tokens + ms / 1_000)
    for (const [id, until] of this.held) if (until <= this.time) this.held.delete(id)
  }

  fits(amounts: Amounts): boolean {
    if (this.held.size >= limits.places) return false
    return this.spent + amounts.money <= limits.money && amounts.tokens <= this.tokens
  }

  /** Takes more than was taken, or gives back. */
  take(amounts: Amounts) {
    this.spent += amounts.money
    this.tokens = Math.min(limits.tokens, this.tokens - amounts.tokens)
  }

  left(): readonly number[] {
    return [
      limits.places - this.held.size,
      Math.max(0, limits.money - this.spent),
      Math.max(0, Math.floor(this.tokens)),
    ].map((left) => Math.max(0, left))
  }
}

interface Amounts {
  readonly money: number
  readonly tokens: number
}

class Real {
  readonly open: { readonly reservation: Reservation; readonly amounts: Amounts; over?: true }[] =
    []
  readonly under: LimiterUnderTest

  constructor(under: LimiterUnderTest) {
    this.under = under
  }
}

const claimsOf = (amounts: Amounts): readonly Claim[] => [
  place('key', limits.places),
  money('key', 'lifetime', { limit: limits.money, amount: amounts.money }),
  tokens('key', limits.tokens, amounts.tokens),
]

type Command = fc.AsyncCommand<Model, Real>

abstract class Step implements Command {
  check = () => true
  abstract act(model: Model, real: Real): Promise<void>

  async run(model: Model, real: Real): Promise<void> {
    await this.act(model, real)
    const levels = await real.under.limiter.look(claimsOf({ money: 0, tokens: 0 }))
    assert.deepEqual(
      levels.map(({ remaining }) => remaining),
      model.left(),
    )
  }
}

class Reserve extends Step {
  readonly amounts: Amounts
  constructor(amounts: Amounts) {
    super()
    this.amounts = amounts
  }

  async act(model: Model, real: Real): Promise<void> {
    const decision = await real.under.limiter.reserve(claimsOf(this.amounts), leaseMs)
    assert.equal(decision.granted, model.fits(this.amounts))
    if (!decision.granted) return
    model.take(this.amounts)
    model.held.set(decision.id, model.time + leaseMs)
    real.open.push({ reservation: decision, amounts: this.amounts })
  }
}

/** One of those made before, whether it was settled or its lease has run out: what nobody settles is a process that was killed. */
class Settle extends Step {
  readonly which: number
  readonly actual: Amounts
  constructor(which: number, actual: Amounts) {
    super()
    this.which = which
    this.actual = actual
  }

  async act(model: Model, real: Real): Promise<void> {
    const one = real.open[this.which % Math.max(1, real.open.length)]
    if (!one) return
    const { reservation, amounts, over } = one
    await real.under.limiter.settle(reservation, {
      nanoUsd: this.actual.money,
      tokens: this.actual.tokens,
    })
    if (over) return
    one.over = true
    model.held.delete(reservation.id)
    model.take({
      money: this.actual.money - amounts.money,
      tokens: this.actual.tokens - amounts.tokens,
    })
  }
}

class Renew extends Step {
  readonly which: number
  constructor(which: number) {
    super()
    this.which = which
  }

  async act(model: Model, real: Real): Promise<void> {
    const one = real.open[this.which % Math.max(1, real.open.length)]
    if (!one) return
    await real.under.limiter.renew(one.reservation, leaseMs)
    if (!one.over) model.held.set(one.reservation.id, model.time + leaseMs)
  }
}

class Pass extends Step {
  readonly seconds: number
  constructor(seconds: number) {
    super()
    this.seconds = seconds
  }

  async act(model: Model, real: Real): Promise<void> {
    real.under.advance(this.seconds * 1_000)
    model.pass(this.seconds * 1_000)
  }
}

const amounts = (max: number) =>
  fc.record({
    money: fc.integer({ min: 0, max: max * 137 }),
    tokens: fc.integer({ min: 0, max }),
  })

/** Whatever comes in whatever order, it is what the model says. */
export function testModel(open: () => Promise<LimiterUnderTest>, runs: number): void {
  test('property: reservations that are settled, renewed, late or lost match a model', async () => {
    const steps = fc.commands<Model, Real, false>(
      [
        amounts(40).map((taken) => new Reserve(taken)),
        fc.tuple(fc.nat(20), amounts(60)).map(([which, actual]) => new Settle(which, actual)),
        fc.nat(20).map((which) => new Renew(which)),
        fc.integer({ min: 1, max: 45 }).map((seconds) => new Pass(seconds)),
      ],
      { maxCommands: 60 },
    )
    await fc.assert(
      fc.asyncProperty(steps, async (commands) => {
        const under = await open()
        try {
          await fc.asyncModelRun(() => ({ model: new Model(), real: new Real(under) }), commands)
        } finally {
          await under.remove()
        }
      }),
      { numRuns: runs },
    )
  })
}
