/** Nanodollars (10⁻⁹ US dollars, the unit of limiters) in a millionth of a dollar (the unit of settings and of the API). */
export const nanoPerMicro = 1_000
