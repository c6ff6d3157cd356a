import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { texts } from '../texts/texts.ts'

/** Copies a text to the clipboard, and confirms it. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const { copied, copy } = useClipboard()
  const shown = copied ? texts.copied : texts.copy
  return (
    <Button
      variant="default"
      size="xs"
      aria-label={`${shown}: ${label}`}
      onClick={() => copy(text)}
    >
      <span aria-live="polite">{shown}</span>
    </Button>
  )
}
