/** Values for some nights of one plan or unit; omitted members stay. */
export interface Layer<Terms extends object> {
  readonly key: string
  readonly nights: readonly number[]
  readonly terms: Terms
}

/**
 * Merges overlapping layers: the later one wins, member by member. A statement may update a row only once, so this
 * happens before it is sent.
 */
export function merged<Terms extends object>(layers: readonly Layer<Terms>[]): Layer<Terms>[] {
  const byKey = Map.groupBy(layers, ({ key }) => key)
  return [...byKey].flatMap(([key, own]) => (own.length === 1 ? own : mergedOfOne(key, own)))
}

/** Each night refers to the merged values of its layers; equal combinations are merged once. */
function mergedOfOne<Terms extends object>(key: string, layers: readonly Layer<Terms>[]): Layer<Terms>[] {
  const blends: Terms[] = []
  const known = new Map<string, number>()
  const blendAt = new Map<number, number>()
  layers.forEach(({ nights, terms }, at) => {
    for (const night of nights) {
      const below = blendAt.get(night) ?? -1
      const name = `${below} ${at}`
      let blend = known.get(name)
      if (blend === undefined) {
        blend = blends.push({ ...blends[below], ...terms }) - 1
        known.set(name, blend)
      }
      blendAt.set(night, blend)
    }
  })
  const nightsOf = blends.map((): number[] => [])
  for (const [night, blend] of blendAt) nightsOf[blend]!.push(night)
  return blends
    .map((terms, at) => ({ key, nights: nightsOf[at]!, terms }))
    .filter(({ nights }) => nights.length > 0)
}

/** Splits the layers into parts of at most so many nights. */
export function parted<Terms extends object>(
  layers: readonly Layer<Terms>[],
  maxNights: number,
): Layer<Terms>[][] {
  const parts: Layer<Terms>[][] = []
  let room = 0
  for (const layer of layers)
    for (let at = 0; at < layer.nights.length;) {
      if (room === 0) {
        parts.push([])
        room = maxNights
      }
      const nights = layer.nights.slice(at, at + room)
      parts.at(-1)!.push({ ...layer, nights })
      at += nights.length
      room -= nights.length
    }
  return parts
}
