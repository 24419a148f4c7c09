import { idNames, type PopulatedWorld } from '../populated-world.ts'
import { inSnakeCase, type Operation } from '../operations.ts'
import { unknownId } from '../records.ts'
import { isChoice, type Choice } from './drawn-values.ts'

const most = 40
const renamed: Record<string, string> = {
  listing_id: 'channel_listing_id',
  target_id: 'channel_target_id',
  target: 'channel_target_id',
  'if-match': 'etag',
  'if-none-match': 'etag',
  after: 'cursor',
}

/** The ids, cursors and ETags that generated requests may use. */
export function openPool({ ids, foreignIds, world }: PopulatedWorld) {
  const own = new Map<string, string[]>()
  const learn = (kind: string, value: string) => {
    const known = own.get(kind) ?? []
    if (known.includes(value)) return
    own.set(kind, [...known, value].slice(-most))
  }
  for (const [name, id] of Object.entries(ids)) learn(name, id)
  const kindOf = (name: string) => renamed[inSnakeCase(name)] ?? inSnakeCase(name)
  const settledId = (name: string, { whose, nth }: Choice): string => {
    const kind = kindOf(name)
    const isOrganization = kind === 'org_id' || kind === 'organization'
    if (whose === 'unknown') return unknownId
    if (whose === 'foreign') return isOrganization ? world.away.id : (foreignIds[kind] ?? unknownId)
    const known = isOrganization ? [world.home.id] : (own.get(kind) ?? [])
    return known[nth % known.length] ?? unknownId
  }
  /** Puts what exists where the draw left a choice. */
  const settled = (name: string, value: unknown): unknown => {
    if (isChoice(value)) return settledId(name, value)
    if (Array.isArray(value)) return value.map((entry) => settled(name, entry))
    return typeof value === 'object' && value !== null ? settledAll(value) : value
  }
  const settledAll = (record: object): Record<string, unknown> =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, settled(name, value)]))
  return {
    learn,
    settled,
    /** A record that is gone is not named again. */
    forget: (id: string) => {
      for (const [kind, known] of own)
        own.set(
          kind,
          known.filter((one) => one !== id),
        )
    },
    /** What a parameter of a path is called elsewhere. */
    nameIn: ({ path }: Operation, parameter: string) =>
      parameter === 'id' ? (idNames[path.split('/')[3]!] ?? 'id') : parameter,
  }
}

export type Pool = ReturnType<typeof openPool>
