/** A thing and the names that it may go by. */
export interface Named<T> {
  readonly thing: T
  readonly names: readonly string[]
}

/** A part that more names have than this leads to none of them: of ten thousand rooms it tells nothing. */
const mostSharers = 60

/**
 * Finds the things whose names are most like a name, with how alike they are from 0 to 1: the share of runs of three
 * letters that both have. Names with other numbers are other rooms, however alike they are.
 */
export function nameLikeness<T>(named: readonly Named<T>[]): (name: string) => Map<T, number> {
  const entries = named.flatMap(({ thing, names }) => names.map((name) => ({ thing, ...partsOf(name) })))
  const sharers = new Map<string, number[]>()
  entries.forEach(({ runs }, at) => {
    for (const run of runs) {
      const known = sharers.get(run)
      if (known) known.push(at)
      else sharers.set(run, [at])
    }
  })
  return (name) => {
    const asked = partsOf(name)
    const groups = [...asked.runs]
      .flatMap((run) => [sharers.get(run) ?? []])
      .filter(({ length }) => length > 0)
    const telling = groups.filter(({ length }) => length <= mostSharers)
    const rarest = groups.sort((one, other) => one.length - other.length)[0]?.slice(0, mostSharers)
    const likely = new Set(telling.length > 0 ? telling.flat() : rarest)
    const found = new Map<T, number>()
    for (const at of likely) {
      const { thing, ...parts } = entries[at]!
      found.set(thing, Math.max(found.get(thing) ?? 0, alike(asked, parts)))
    }
    return found
  }
}

interface Parts {
  readonly runs: ReadonlySet<string>
  readonly numbers: string
}

function partsOf(name: string): Parts {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const words = [...plain.matchAll(/\p{L}+|0*(\p{N}+)/gu)].map(([word, number]) => number ?? word)
  const padded = words.map((word) => `  ${word} `)
  const runs = padded.flatMap((word) =>
    Array.from({ length: word.length - 2 }, (_, at) => word.slice(at, at + 3)),
  )
  return { runs: new Set(runs), numbers: words.filter((word) => /^\p{N}/u.test(word)).join(' ') }
}

function alike(one: Parts, other: Parts): number {
  let shared = 0
  for (const run of one.runs) if (other.runs.has(run)) shared++
  const likeness = (2 * shared) / (one.runs.size + other.runs.size)
  return one.numbers === other.numbers ? likeness : likeness / 2
}
