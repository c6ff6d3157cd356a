import { NumberInput } from '@mantine/core'
import { Choice } from '../../parts/choice.tsx'
import type { Fields } from '../../parts/fields.ts'
import { routeTexts } from '../../texts/routes.ts'
import { type ProblemAt, valueAt, withValue } from './route-draft.ts'
import type { OptionGroup, RouteOption } from './route-options.ts'
import classes from './routes.module.css'

interface OptionFieldsProps<Of extends Fields> {
  readonly groups: readonly OptionGroup[]
  readonly of: Of
  readonly problemAt: ProblemAt
  readonly onChange: (changed: Of) => void
}

/** Option fields by group; a group in which an option is set is open. */
export function OptionFields<Of extends Fields>(props: OptionFieldsProps<Of>) {
  const { groups, of, problemAt, onChange } = props
  return groups.map(([group, options]) => (
    <details
      key={group}
      className={classes.options}
      open={options.some(({ name }) => valueAt(of, pathOf(name)) !== undefined)}
    >
      <summary>{routeTexts.groups[group]}</summary>
      <div className={classes.fields}>
        {options.map((option) => (
          <OptionField
            key={option.name}
            option={option}
            of={of}
            problem={problemAt(option.name)}
            onChange={onChange}
          />
        ))}
      </div>
    </details>
  ))
}

const pathOf = (name: string) => name.split('.')

interface OptionFieldProps<Of extends Fields> {
  readonly option: RouteOption
  readonly of: Of
  readonly problem: string | undefined
  readonly onChange: (changed: Of) => void
}

function OptionField<Of extends Fields>({ option, of, problem, onChange }: OptionFieldProps<Of>) {
  const { name, kind, choices = [], needs } = option
  const path = pathOf(name)
  const value = valueAt(of, path)
  const [label, description] = routeTexts.options[name]
  const shownProps = { label, description, error: problem }
  const set = (changed: unknown) => onChange(withValue(of, path, changed))
  if (kind === 'number')
    return (
      <NumberInput
        {...shownProps}
        value={typeof value === 'number' ? value : ''}
        {...(option.min !== undefined && { min: option.min })}
        {...(option.max !== undefined && { max: option.max })}
        allowDecimal={option.isDecimal === true}
        thousandSeparator=","
        hideControls
        disabled={needs !== undefined && valueAt(of, pathOf(needs)) !== true}
        onChange={(typed) => set(typeof typed === 'number' ? typed : undefined)}
      />
    )
  if (kind === 'choice')
    return (
      <Choice<string>
        {...shownProps}
        value={typeof value === 'string' ? value : ''}
        of={{
          '': routeTexts.unset,
          ...Object.fromEntries(choices.map((choice) => [choice, routeTexts.values[choice]])),
        }}
        onChange={(chosen) => set(chosen || undefined)}
      />
    )
  return (
    <Choice<string>
      {...shownProps}
      value={typeof value === 'boolean' ? String(value) : ''}
      of={{ '': routeTexts.unset, true: routeTexts.yes, false: routeTexts.no }}
      onChange={(chosen) => {
        // Options that apply only while this one is on are removed with it.
        if (chosen === '' && path.length > 1) onChange(withValue(of, path.slice(0, -1), undefined))
        else set(chosen === '' ? undefined : chosen === 'true')
      }}
    />
  )
}
