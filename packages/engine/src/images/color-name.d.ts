/** The named colors of CSS Color Module Level 4; the package has no declarations. */
declare module 'color-name' {
  const colors: Readonly<Record<string, readonly [red: number, green: number, blue: number]>>
  export default colors
}
