import { objectOf, someText, type ToolChoice } from '@sluice/contract'

/** The names that a choice of `allowed_tools` allows; undefined for every other choice. */
export function allowedTools(
  choice: ToolChoice | null | undefined,
): ReadonlySet<string> | undefined {
  if (choice == null || typeof choice === 'string' || choice.type !== 'allowed_tools')
    return undefined
  const names = (choice.allowed_tools?.tools ?? []).flatMap(
    (tool) => someText(objectOf(tool['function'])['name']) ?? someText(tool['name']) ?? [],
  )
  return new Set(names)
}

/** Whether the model must call a tool. */
export function forcesCall(choice: ToolChoice | null | undefined): boolean {
  if (choice == null || typeof choice === 'string') return choice === 'required'
  return choice.type !== 'allowed_tools' || choice.allowed_tools?.mode === 'required'
}
