import { Button, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { texts } from '../texts/texts.ts'

/** Takes the other colours; until somebody does, the system's are taken. */
export function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme()
  const other = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark'
  return (
    <Button variant="default" size="xs" onClick={() => setColorScheme(other)}>
      {texts.scheme[other]}
    </Button>
  )
}
