import { TextInput, type TextInputProps } from '@mantine/core'
import { useId } from 'react'

interface SuggestedInputProps extends Omit<TextInputProps, 'onChange' | 'list'> {
  /** The suggested values, each with its label. */
  readonly of: readonly (readonly [value: string, label: string])[]
  readonly onChange: (value: string) => void
}

/** A field for any text, with suggestions. */
export function SuggestedInput({ of, onChange, ...field }: SuggestedInputProps) {
  const list = useId()
  return (
    <>
      <TextInput
        {...field}
        list={list}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {/* With a list, even an empty one, the field would be announced as one with choices. */}
      {of.length > 0 && (
        <datalist id={list}>
          {of.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </datalist>
      )}
    </>
  )
}
