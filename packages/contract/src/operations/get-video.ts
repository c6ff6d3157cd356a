import { Type } from 'typebox'
import { operation } from './operation.ts'
import { Video, VideoId } from './video.ts'

export const getVideo = operation({
  summary: 'Retrieve a video task',
  tag: 'Videos',
  method: 'GET',
  paths: ['/v1/videos/{id}'],
  body: 'none',
  isFree: true,
  request: VideoId,
  reply: Video,
  event: Type.Never(),
})
