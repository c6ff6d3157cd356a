import { Button, Group, NumberInput, Text, TextInput } from '@mantine/core'
import { modelTexts } from '../../texts/operation.ts'
import { routeTexts } from '../../texts/routes.ts'
import {
  type ProblemAt,
  type Route,
  routeOf,
  type Target,
  withValue,
  writtenOf,
} from './route-draft.ts'
import { OptionFields } from './route-option-fields.tsx'
import { routeGroups, targetGroups } from './route-options.ts'
import classes from './routes.module.css'

interface RouteFormProps {
  readonly name: string
  readonly value: unknown
  /** Whether another route has the name. */
  readonly isTaken: (name: string) => boolean
  readonly problemAt: ProblemAt
  readonly isReadOnly: boolean
  /** Shown above the fields. */
  readonly note?: string
  readonly onChange: (value: unknown) => void
  readonly onRename: (name: string) => void
  readonly onRemove: () => void
}

/** One route: its name, targets, fallbacks and options. */
export function RouteForm(props: RouteFormProps) {
  const { name, value, isTaken, problemAt, isReadOnly, note, onChange, onRename, onRemove } = props
  const route = routeOf(value)
  const change = (changed: Route) => onChange(writtenOf(changed, value))
  return (
    <fieldset className={classes.form} disabled={isReadOnly}>
      {note !== undefined && <Text size="sm">{note}</Text>}
      <Group align="end" justify="space-between" gap="0.75rem">
        <TextInput
          label={routeTexts.name}
          description={routeTexts.nameHint}
          value={name}
          onChange={({ currentTarget: { value: to } }) => onRename(to)}
          error={nameProblem(name, isTaken) ?? problemAt('')}
          className={classes.name ?? ''}
        />
        {!isReadOnly && (
          <Button variant="default" c="var(--mantine-color-error)" onClick={onRemove}>
            {routeTexts.remove}
          </Button>
        )}
      </Group>
      <Targets
        of={route.targets}
        problemAt={problemAt}
        onChange={(targets) => change({ ...route, targets })}
      />
      {(['fallback', 'longer'] as const).map((list) => (
        <Names
          key={list}
          of={route[list] ?? []}
          list={list}
          problemAt={(place) => problemAt(`${list}${place}`)}
          onChange={(names) =>
            change(withValue(route, [list], names.length === 0 ? undefined : names))
          }
        />
      ))}
      <OptionFields groups={routeGroups} of={route} problemAt={problemAt} onChange={change} />
    </fieldset>
  )
}

function nameProblem(name: string, isTaken: (name: string) => boolean): string | undefined {
  if (name.trim() === '') return routeTexts.nameNeeded
  return isTaken(name) ? routeTexts.nameTaken : undefined
}

interface TargetsProps {
  readonly of: readonly Target[]
  readonly problemAt: ProblemAt
  readonly onChange: (targets: readonly Target[]) => void
}

function Targets({ of, problemAt, onChange }: TargetsProps) {
  return (
    <fieldset className={classes.part}>
      <legend>{routeTexts.targets}</legend>
      <Text size="sm" c="dimmed">
        {routeTexts.targetsHint}
      </Text>
      {of.map((target, at) => (
        <TargetRow
          // Nothing else identifies a row while it is being typed.
          key={String(at)}
          of={target}
          number={at + 1}
          problemAt={(place) => problemAt(`targets[${at}]${place}`)}
          onChange={(changed) => onChange(of.with(at, changed))}
          {...(of.length > 1 && { onRemove: () => onChange(of.toSpliced(at, 1)) })}
        />
      ))}
      <Button variant="default" size="xs" onClick={() => onChange([...of, { target: '' }])}>
        {routeTexts.addTarget}
      </Button>
    </fieldset>
  )
}

interface TargetRowProps {
  readonly of: Target
  readonly number: number
  readonly problemAt: ProblemAt
  readonly onChange: (target: Target) => void
  readonly onRemove?: () => void
}

function TargetRow({ of, number, problemAt, onChange, onRemove }: TargetRowProps) {
  const counted = (field: 'weight' | 'priority') => ({
    label: routeTexts[field],
    'aria-label': `${routeTexts[field]} ${number}`,
    value: typeof of[field] === 'number' ? of[field] : '',
    placeholder: field === 'weight' ? '1' : '0',
    min: 0,
    hideControls: true,
    error: problemAt(`.${field}`),
    onChange: (value: string | number) =>
      onChange(withValue(of, [field], typeof value === 'number' ? value : undefined)),
  })
  return (
    <>
      <div className={classes.target}>
        <TextInput
          label={routeTexts.target}
          aria-label={`${routeTexts.target} ${number}`}
          list="targets"
          placeholder={routeTexts.targetHint}
          value={of.target}
          error={problemAt('.target') ?? problemAt('')}
          onChange={({ currentTarget: { value } }) => onChange({ ...of, target: value })}
        />
        <NumberInput {...counted('weight')} />
        <NumberInput {...counted('priority')} allowDecimal={false} />
        {onRemove && (
          <Button
            variant="default"
            aria-label={`${routeTexts.removeTarget} ${number}`}
            onClick={onRemove}
          >
            {modelTexts.remove}
          </Button>
        )}
      </div>
      <OptionFields
        groups={targetGroups}
        of={of}
        problemAt={(place) => problemAt(`.${place}`)}
        onChange={onChange}
      />
    </>
  )
}

interface NamesProps {
  readonly of: readonly string[]
  readonly list: keyof typeof nameTexts
  readonly problemAt: ProblemAt
  readonly onChange: (names: readonly string[]) => void
}

const nameTexts = {
  fallback: {
    title: routeTexts.fallback,
    hint: routeTexts.fallbackHint,
    add: routeTexts.addFallback,
    remove: routeTexts.removeFallback,
  },
  longer: {
    title: routeTexts.longer,
    hint: routeTexts.longerHint,
    add: routeTexts.addLonger,
    remove: routeTexts.removeLonger,
  },
} as const

/** Models in their order. */
function Names({ of, list, problemAt, onChange }: NamesProps) {
  const { title, hint, add, remove } = nameTexts[list]
  return (
    <fieldset className={classes.part}>
      <legend>{title}</legend>
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
      {of.map((name, at) => (
        <div key={String(at)} className={classes.fallback}>
          <TextInput
            aria-label={`${title} ${at + 1}`}
            list="targets"
            value={name}
            error={problemAt(`[${at}]`)}
            onChange={({ currentTarget: { value } }) => onChange(of.with(at, value))}
          />
          <Button
            variant="default"
            aria-label={`${remove} ${at + 1}`}
            onClick={() => onChange(of.toSpliced(at, 1))}
          >
            {modelTexts.remove}
          </Button>
        </div>
      ))}
      <Button variant="default" size="xs" onClick={() => onChange([...of, ''])}>
        {add}
      </Button>
    </fieldset>
  )
}
