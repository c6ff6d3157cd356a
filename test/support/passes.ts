import type { Native } from '../../packages/protocols/src/protocol.ts'

/** Whether a request is sent to a model unchanged, or changed only where the model needs it. */
export function passes({ inspect, ...native }: Native, request: unknown, model = ''): boolean {
  const found = inspect(request)
  return !found.isForeign && native.takes?.(request, found, { model, family: model }) !== false
}
