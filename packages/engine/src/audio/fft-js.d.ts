/** The part of fft.js that is used here: the package brings no declarations. */
declare module 'fft.js' {
  export default class FFT {
    /** `size` is a power of two above one. */
    constructor(size: number)
    readonly size: number
    /** Real and imaginary parts in turn, `size` * 2 numbers. */
    createComplexArray(): number[]
    /** Fills the first half of `out`, up to half the sampling rate; the second half is its mirror image. */
    realTransform(out: number[], samples: ArrayLike<number>): void
  }
}
