import type { Engine } from './engine.ts'

/**
 * The built-in engine. Each operation is loaded when it is first asked for, so that starting costs nothing. Video tasks
 * are jobs and run beside it, in video/video-jobs.ts.
 */
export const builtinEngine: Engine = {
  chat: async (request, context) => (await import('./chat/chat.ts')).chat(request, context),
  complete: async (request, context) =>
    (await import('./complete/complete.ts')).complete(request, context),
  embed: async (request, context) => (await import('./embed/embed.ts')).embed(request, context),
  rerank: async (request, context) => (await import('./rerank/rerank.ts')).rerank(request, context),
  moderate: async (request, context) =>
    (await import('./moderate/moderate.ts')).moderate(request, context),
  transcribe: async (request, context) =>
    (await import('./audio/transcribe.ts')).transcribe(request, context),
  translate: async (request, context) =>
    (await import('./audio/translate.ts')).translate(request, context),
  speak: async (request, context) => (await import('./audio/speak.ts')).speak(request, context),
  createImage: async (request, context) =>
    (await import('./images/create-image.ts')).createImage(request, context),
  editImage: async (request, context) =>
    (await import('./images/edit-image.ts')).editImage(request, context),
}
