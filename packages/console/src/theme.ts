import { createTheme, type MantineColorsTuple } from '@mantine/core'

/** From the lightest to the darkest. */
const water: MantineColorsTuple = [
  '#e6f5fa',
  '#cfe8f1',
  '#a0d0e2',
  '#6cc7e6',
  '#45a8ca',
  '#2490b5',
  '#127c9f',
  '#0b6e8f',
  '#085a76',
  '#04465d',
]

const red: MantineColorsTuple = [
  '#fdecea',
  '#fbd9d6',
  '#f5b3ad',
  '#ff8a80',
  '#e5665b',
  '#d64a3f',
  '#c4362b',
  '#b3261e',
  '#921f18',
  '#701812',
]

/** Grays of the dark scheme, from text to background, with the hue of the cards. */
const dark: MantineColorsTuple = [
  '#e7edf1',
  '#c3ced6',
  '#9fadb7',
  '#6f808c',
  '#43525d',
  '#33404a',
  '#222c32',
  '#1b2328',
  '#12181c',
  '#0c1114',
]

export const theme = createTheme({
  colors: { water, red, dark },
  primaryColor: 'water',
  primaryShade: 7,
  fontFamily: 'system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, monospace',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Badge: {
      defaultProps: { variant: 'outline', c: 'var(--mantine-color-text)', miw: 'max-content' },
    },
    Button: { defaultProps: { fw: 500 } },
  },
})
