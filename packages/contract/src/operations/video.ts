import { type Static, Type } from 'typebox'
import { AnyObject, oneOf, optional } from './schema.ts'

/** A video job (contract, Video task; OpenAI API, VideoResource). Times are in seconds since the epoch. */
export const Video = Type.Object({
  id: Type.String(),
  object: Type.Literal('video'),
  model: Type.String(),
  status: oneOf(['queued', 'in_progress', 'completed', 'failed']),
  /** 0 to 100; 0 if queued, 100 if completed. */
  progress: Type.Integer({ minimum: 0, maximum: 100 }),
  created_at: Type.Integer(),
  completed_at: Type.Union([Type.Integer(), Type.Null()]),
  expires_at: Type.Union([Type.Integer(), Type.Null()]),
  seconds: Type.String(),
  size: Type.String(),
  prompt: Type.Union([Type.String(), Type.Null()]),
  remixed_from_video_id: Type.Union([Type.String(), Type.Null()]),
  error: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()]),
  /** `url`: the address of the finished video, null before. */
  metadata: optional(AnyObject),
})
export type Video = Static<typeof Video>

export const VideoId = Type.Object({ id: Type.String({ minLength: 1 }) })
