export interface Random {
  /** A whole number, both ends included. */
  pick(low: number, high: number): number
  choose<T>(from: readonly T[]): T
  /** True in this share of all calls, 0 to 1. */
  chance(share: number): boolean
}

/** A linear congruential generator, so that the demonstration data is the same in every run. */
export function openRandom(seed: number): Random {
  let state = seed * 2_654_435_761
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 0x1_0000_0000
  const pick = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    pick,
    choose: (from) => from[pick(0, from.length - 1)]!,
    chance: (share) => next() < share,
  }
}
