import type { TaskTable } from './task.ts'

/**
 * Everything that runs in a worker process, one line per task. Its code is loaded on first use, and only in the worker. To add
 * a task, write a `Task` function and name it here.
 */
export const tasks = {
  composeSentChat: async () => (await import('../chat/compose.ts')).composeSentChat,
  composeSentCompletion: async () => (await import('../complete/compose.ts')).composeSentCompletion,
  judgeDocuments: async () => (await import('../rerank/relevance.ts')).judgeDocuments,
  annotateAudio: async () => (await import('../audio/annotate.ts')).annotateAudio,
  synthesizeSpeech: async () => (await import('../audio/synthesize-speech.ts')).synthesizeSpeech,
  editImages: async () => (await import('../images/edit-images.ts')).editImages,
  generateImages: async () => (await import('../images/generate-images.ts')).generateImages,
  describeImage: async () => (await import('../chat/media/image.ts')).describeImage,
  readPdf: async () => (await import('../chat/media/read-pdf.ts')).readPdf,
  renderVideo: async () => (await import('../video/render-video.ts')).renderVideo,
} as const satisfies TaskTable
