/** What is decided for some nights of one thing; members that are not named are left as they are. */
export interface Layer<Terms extends object> {
  readonly key: string
  readonly nights: readonly number[]
  readonly terms: Terms
}

/**
 * Layers that no longer overlap: where two lie on one another, the later one wins, member by member. A statement
 * may touch a row only once, so this is done before one is sent.
 */
export function merged<Terms extends object>(layers: readonly Layer<Terms>[]): Layer<Terms>[] {
  const byKey = Map.groupBy(layers, ({ key }) => key)
  return [...byKey].flatMap(([key, own]) => (own.length === 1 ? own : mergedOfOne(key, own)))
}

/** Each night points at the blend of the layers on it; a blend is made once, however many nights have it. */
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

/** The same layers in parts of so many nights at most. */
export function parted<Terms extends object>(
  layers: readonly Layer<Terms>[],
  mostNights: number,
): Layer<Terms>[][] {
  const parts: Layer<Terms>[][] = []
  let room = 0
  for (const layer of layers)
    for (let at = 0; at < layer.nights.length;) {
      if (room === 0) {
        parts.push([])
        room = mostNights
      }
      const nights = layer.nights.slice(at, at + room)
      parts.at(-1)!.push({ ...layer, nights })
      at += nights.length
      room -= nights.length
    }
  return parts
}
