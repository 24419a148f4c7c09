/** An item and the names it may have. */
export interface NamedItem<T> {
  readonly item: T
  readonly names: readonly string[]
}

/** A trigram of more names than this is not used to find candidates: among ten thousand rooms it selects nothing. */
const maxNamesPerTrigram = 60

/**
 * Indexes items by name. The returned function finds the items whose names resemble a name, each with a similarity from 0
 * to 1: the share of trigrams that both have (Sørensen–Dice). Different numbers halve it, because they are other rooms.
 */
export function indexNames<T>(items: readonly NamedItem<T>[]): (name: string) => Map<T, number> {
  const entries = items.flatMap(({ item, names }) => names.map((name) => ({ item, ...parseName(name) })))
  const entriesByTrigram = new Map<string, number[]>()
  entries.forEach(({ trigrams }, at) => {
    for (const trigram of trigrams) {
      const known = entriesByTrigram.get(trigram)
      if (known) known.push(at)
      else entriesByTrigram.set(trigram, [at])
    }
  })
  return (name) => {
    const searched = parseName(name)
    const groups = [...searched.trigrams]
      .flatMap((trigram) => [entriesByTrigram.get(trigram) ?? []])
      .filter(({ length }) => length > 0)
    const selective = groups.filter(({ length }) => length <= maxNamesPerTrigram)
    const rarest = groups.sort((one, other) => one.length - other.length)[0]?.slice(0, maxNamesPerTrigram)
    const candidates = new Set(selective.length > 0 ? selective.flat() : rarest)
    const similarities = new Map<T, number>()
    for (const at of candidates) {
      const { item, ...parts } = entries[at]!
      similarities.set(item, Math.max(similarities.get(item) ?? 0, similarityOf(searched, parts)))
    }
    return similarities
  }
}

interface NameParts {
  readonly trigrams: ReadonlySet<string>
  readonly numbers: string
}

/** Letters that Unicode does not decompose, as the function `search_key` of PostgreSQL replaces them. */
const plainLetters: Record<string, string> = {
  ...{ ł: 'l', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ı: 'i' },
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th' },
}

function parseName(name: string): NameParts {
  const letters = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const plain = letters.replaceAll(/[łøđðħıßæœþ]/g, (letter) => plainLetters[letter]!)
  const words = [...plain.matchAll(/\p{L}+|0*(\p{N}+)/gu)].map(([word, number]) => number ?? word)
  const padded = words.map((word) => `  ${word} `)
  const trigrams = padded.flatMap((word) =>
    Array.from({ length: word.length - 2 }, (_, at) => word.slice(at, at + 3)),
  )
  return { trigrams: new Set(trigrams), numbers: words.filter((word) => /^\p{N}/u.test(word)).join(' ') }
}

function similarityOf(one: NameParts, other: NameParts): number {
  let shared = 0
  for (const trigram of one.trigrams) if (other.trigrams.has(trigram)) shared++
  const similarity = (2 * shared) / (one.trigrams.size + other.trigrams.size)
  return one.numbers === other.numbers ? similarity : similarity / 2
}
