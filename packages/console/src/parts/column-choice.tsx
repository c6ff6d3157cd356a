import { useClickOutside } from '@mantine/hooks'
import { useState } from 'react'
import { texts } from '../texts/texts.ts'
import classes from './data-table.module.css'

/** The properties of a column that the menu uses. */
interface Choosable {
  readonly id: string
  getIsVisible(): boolean
  toggleVisibility(value?: boolean): void
}

/** A menu for choosing the visible columns of a table. */
export function ColumnChoice({ columns }: { readonly columns: readonly Choosable[] }) {
  const shown = columns.filter((column) => column.getIsVisible()).length
  const [isOpen, setOpen] = useState(false)
  const ref = useClickOutside<HTMLDetailsElement>(() => setOpen(false))
  return (
    <details
      ref={ref}
      className={classes.choice}
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => setOpen(open)}
    >
      <summary>{texts.columns}</summary>
      <fieldset className={classes.choices} aria-label={texts.columns}>
        {columns.map((column) => {
          const isShown = column.getIsVisible()
          return (
            <label key={column.id}>
              <input
                type="checkbox"
                checked={isShown}
                // A table without columns could not be distinguished from one without rows.
                disabled={isShown && shown === 1}
                onChange={() => column.toggleVisibility(!isShown)}
              />
              {column.id}
            </label>
          )
        })}
      </fieldset>
    </details>
  )
}

const placeOf = (name: string) => `sluice.columns.${name}`

/** The column choices saved in this browser; empty if there are none, or if storage is not available. */
export function keptColumns(name: string): Readonly<Record<string, boolean>> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(placeOf(name)) ?? '{}')
    if (typeof kept !== 'object' || kept === null) return {}
    return Object.fromEntries(
      Object.entries(kept).filter(
        (entry): entry is [string, boolean] => typeof entry[1] === 'boolean',
      ),
    )
  } catch {
    return {}
  }
}

export function keepColumns(name: string, shown: Readonly<Record<string, boolean>>): void {
  try {
    localStorage.setItem(placeOf(name), JSON.stringify(shown))
  } catch {
    // Without storage, the choice lasts until the page is left.
  }
}
