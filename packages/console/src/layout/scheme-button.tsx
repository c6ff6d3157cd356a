import { Button, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { texts } from '../texts/texts.ts'

/** Switches between the light and the dark color scheme; until it is used, the system's setting applies. */
export function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme()
  const other = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark'
  return (
    <Button variant="default" size="xs" onClick={() => setColorScheme(other)}>
      {texts.scheme[other]}
    </Button>
  )
}
