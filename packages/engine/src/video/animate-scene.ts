import type { Motion, Scene, SceneObject } from '../images/scene.ts'

/** The scene at a moment of its film, `time` from 0 (first frame) to 1 (last frame). */
export function animateScene(scene: Scene, time: number): Scene {
  return {
    ...scene,
    objects: scene.objects.map((object, index) => moveObject(object, time, index)),
    texts: scene.texts.map((text) => ({ ...text, opacity: Math.min(1, time * 4 + 0.05) })),
  }
}

/** What a still thing does in a film: the sky drifts, the rest sways a little. */
function usualMotion({ shape }: SceneObject): Motion {
  if (shape === 'star' || shape === 'heart') return 'pulse'
  if (
    shape === 'car' ||
    shape === 'boat' ||
    shape === 'plane' ||
    shape === 'fish' ||
    shape === 'bird'
  )
    return 'rightward'
  return shape === 'snowflake' ? 'sink' : shape === 'rocket' ? 'rise' : 'sway'
}

function moveObject(object: SceneObject, time: number, index: number): SceneObject {
  const { x, y, size, rotation, opacity } = object
  const wave = Math.sin(2 * Math.PI * (time * 2 + index * 0.17))
  switch (object.motion ?? usualMotion(object)) {
    case 'rise':
      return { ...object, y: between(y + 0.55, y - 0.05, time) }
    case 'sink':
      return { ...object, y: between(y - 0.05, y + 0.55, time) }
    case 'leftward':
      return { ...object, x: between(x + 0.4, x - 0.4, time) }
    case 'rightward':
      return { ...object, x: between(x - 0.4, x + 0.4, time) }
    case 'spin':
      return { ...object, rotation: rotation + time * 720 }
    case 'pulse':
      return { ...object, size: size * (1 + 0.15 * wave) }
    case 'bounce':
      return { ...object, y: y - Math.abs(Math.sin(Math.PI * (time * 4 + index * 0.2))) * 0.15 }
    case 'grow':
      return { ...object, size: size * between(0.2, 1.3, time) }
    case 'shrink':
      return { ...object, size: size * between(1.2, 0.1, time) }
    case 'appear':
      return { ...object, opacity: opacity * time }
    case 'vanish':
      return { ...object, opacity: opacity * (1 - time) }
    case 'sway':
      return { ...object, y: y + 0.012 * wave, rotation: rotation + 4 * wave }
  }
}

function between(from: number, to: number, time: number): number {
  return from + (to - from) * time
}
