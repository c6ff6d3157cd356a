import type { SceneObject, SceneText } from '../images/scene.ts'

/** The objects at a moment of their video. `time` goes from 0 (first frame) to 1 (last frame). */
export function animateObjects(
  objects: readonly SceneObject[],
  time: number,
): readonly SceneObject[] {
  return objects.map((object, index) => moveObject(object, time, index))
}

/** Texts fade in. */
export function animateTexts(texts: readonly SceneText[], time: number): readonly SceneText[] {
  return texts.map((text) => ({ ...text, opacity: Math.min(1, time * 4 + 0.05) }))
}

function moveObject(object: SceneObject, time: number, index: number): SceneObject {
  const { x, y, rotation, motion } = object
  switch (motion) {
    case 'rise':
      return { ...object, y: between(1, y, time) }
    case 'sink':
      return { ...object, y: between(y, 1, time) }
    case 'leftward':
      return { ...object, x: between(x + 0.4, x - 0.4, time) }
    case 'rightward':
      return { ...object, x: between(x - 0.4, x + 0.4, time) }
    case 'spin':
      return { ...object, rotation: rotation + time * 720 }
    default: {
      // Objects without a motion sway slightly, so that a video is never a still image.
      const wave = Math.sin(2 * Math.PI * (time * 2 + index * 0.17))
      return { ...object, rotation: rotation + 4 * wave }
    }
  }
}

function between(from: number, to: number, time: number): number {
  return from + (to - from) * time
}
