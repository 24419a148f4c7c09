const firstMs = 1_000
const longestMs = 600_000

/** How long until the provider is asked again: doubling, up to ten minutes, at random so that not all come at once. */
export const waitBefore = (attempts: number): number =>
  Math.ceil((0.5 + Math.random() / 2) * Math.min(firstMs * 2 ** Math.min(attempts - 1, 20), longestMs))
