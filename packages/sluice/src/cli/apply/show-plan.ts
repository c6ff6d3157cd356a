import type { Budget } from '@sluice/gateway/ports/account.ts'
import { shownBudget } from '../accounts.ts'
import { printable } from '../printable.ts'
import type { RouteChange } from './routes.ts'
import type { Step } from './plan.ts'

const signs: Readonly<Record<Step['action'], string>> = {
  create: '+',
  change: '~',
  disable: '~',
  enable: '~',
  delete: '-',
  revoke: '-',
}

/** The plan as text: a line for each step, its differences, and a summary. */
export function shownPlan(steps: readonly Step[], routes: readonly RouteChange[]): string {
  if (steps.length + routes.length === 0) return 'Nothing differs.'
  const done = [...steps.map(({ action }) => action), ...routes.map(({ change }) => change)]
  const count = (...actions: readonly (typeof done)[number][]) =>
    done.filter((action) => actions.includes(action)).length
  const sums = [
    `${count('create', 'added')} to create`,
    `${count('change', 'disable', 'enable', 'changed')} to change`,
    `${count('delete', 'revoke', 'removed')} to remove`,
  ]
  const lines = [...steps.flatMap(shownStep), ...routes.flatMap(shownRoute)].map(printable)
  return [...lines, '', `${sums.join(', ')}.`].join('\n')
}

function shownRoute({ model, change, before, after }: RouteChange): readonly string[] {
  switch (change) {
    case 'added':
      return [`+ route ${model}`, `    ${JSON.stringify(after)}`]
    case 'changed':
      return [`~ route ${model}`, `    ${JSON.stringify(before)} → ${JSON.stringify(after)}`]
    case 'removed':
      return [`- route ${model}`]
  }
}

function shownStep(step: Step): readonly string[] {
  const head = `${signs[step.action]} ${step.kind} ${step.name}`
  switch (step.action) {
    case 'create': {
      const { name: _name, unique: _unique, ...body } = step.body
      const parent = step.parent ? { [step.parent.kind]: step.parent.name } : {}
      const lines = Object.entries({ ...parent, ...body })
      return [head, ...lines.map(([field, value]) => `    ${field}: ${shown(field, value)}`)]
    }
    case 'change':
      return [
        head,
        ...step.differences.map(
          ({ field, before, after }) =>
            `    ${field}: ${shown(field, before)} → ${shown(field, after)}`,
        ),
      ]
    case 'disable':
    case 'enable':
    case 'delete':
    case 'revoke':
      return [`${head}: ${step.action}`]
  }
}

function shown(field: string, value: unknown): string {
  if (value === undefined) return 'none'
  if (field === 'expiresAt') return new Date(Number(value)).toISOString()
  if (field === 'budgets') return (value as readonly Budget[]).map(shownBudget).join(', ') || 'none'
  if (Array.isArray(value)) return value.join(', ') || 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
