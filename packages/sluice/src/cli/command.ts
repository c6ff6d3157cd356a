import { InvalidArgumentError } from 'commander'
import type { Environment } from '../config/env.ts'

/** What a command prints: results on standard output, for other programs, and notes on standard error. */
export interface Printed {
  readonly text: string
  /** Default: none. */
  readonly notes?: readonly string[]
  /** False ends the process with exit code 1. Default true. */
  readonly isFine?: boolean
}

/** The action of a command: calls `run` with its arguments and options, and prints the result. */
export type Act = <Given extends readonly unknown[]>(
  run: (environment: Environment, ...given: Given) => Result | Promise<Result>,
) => (...given: Given) => Promise<void>

/** Nothing if the command has printed everything itself. */
type Result = Printed | string | void

/** Options of many commands. */
export const json = ['--json', 'print JSON'] as const
export const url = ['--url <url>', 'the URL of the gateway; default: from the settings'] as const
export const to = ['--to <time>', 'the end, exclusive; default now'] as const

export interface JsonOption {
  readonly json?: boolean
}

export interface UrlOption {
  readonly url?: string
}

/** Of commands that ask a running gateway. */
export type GatewayOptions = JsonOption & UrlOption

/** Parses a positive integer. */
export function positive(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError('It must be a positive integer.')
  return number
}
