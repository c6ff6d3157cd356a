import { NativeSelect, type NativeSelectProps } from '@mantine/core'

interface ChoiceProps<Value extends string>
  extends Omit<NativeSelectProps, 'value' | 'data' | 'onChange'> {
  readonly value: Value
  /** The label of each value, in the order in which they are offered. */
  readonly of: { readonly [Offered in Value]?: string }
  /** The label with which the current value is offered last if it is not among the others; absent if it is always. */
  readonly otherLabel?: string
  readonly onChange: (value: Value) => void
}

/** A field for one of several values. */
export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { of, otherLabel, onChange, ...field } = props
  const choices = Object.entries<string | undefined>(of)
  if (otherLabel !== undefined && !Object.hasOwn(of, field.value))
    choices.push([field.value, otherLabel])
  return (
    <NativeSelect
      {...field}
      data={choices.map(([one, label = one]) => ({ value: one, label }))}
      // Only these values can be chosen.
      onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}
    />
  )
}
