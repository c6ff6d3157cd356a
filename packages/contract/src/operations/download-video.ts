import { Type } from 'typebox'
import { operation } from './operation.ts'
import { oneOf, optional } from './schema.ts'
import { VideoId } from './video.ts'

const DownloadVideoRequest = Type.Object({
  ...VideoId.properties,
  /** Default `video`. */
  variant: optional(oneOf(['video', 'thumbnail', 'spritesheet'])),
})

export const downloadVideo = operation({
  summary: 'Download the content of a finished video',
  tag: 'Videos',
  method: 'GET',
  paths: ['/v1/videos/{id}/content'],
  body: 'none',
  request: DownloadVideoRequest,
  reply: Type.Never(),
  replyType: 'video/mp4',
  event: Type.Never(),
})
