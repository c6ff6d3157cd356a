import type { Static } from 'typebox'
import { chat } from './chat.ts'
import { complete } from './complete.ts'
import { createImage } from './create-image.ts'
import { createVideo } from './create-video.ts'
import { downloadVideo } from './download-video.ts'
import { editImage } from './edit-image.ts'
import { embed } from './embed.ts'
import { getVideo } from './get-video.ts'
import { moderate } from './moderate.ts'
import type { Result } from './operation.ts'
import { rerank } from './rerank.ts'
import { speak } from './speak.ts'
import { transcribe } from './transcribe.ts'
import { translate } from './translate.ts'

/** All inference operations. A new one needs a file next to this one and a line here. */
export const operations = {
  chat,
  complete,
  embed,
  rerank,
  moderate,
  transcribe,
  translate,
  speak,
  createImage,
  editImage,
  createVideo,
  getVideo,
  downloadVideo,
} as const

type Operations = typeof operations
export type OperationName = keyof Operations
export type RequestOf<O extends OperationName> = Static<Operations[O]['request']>
export type ReplyOf<O extends OperationName> = Static<Operations[O]['reply']>
export type EventOf<O extends OperationName> = Static<Operations[O]['event']>
export type ResultOf<O extends OperationName> = Result<ReplyOf<O>, EventOf<O>>

export const operationNames = Object.keys(operations) as readonly OperationName[]
