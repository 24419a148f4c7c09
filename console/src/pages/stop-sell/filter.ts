import { oneOf, readSearch } from '../../components/read-search.ts'
import { isUuid } from '../../components/uuid.ts'

export const scopes = ['everything', 'channel', 'space', 'unit'] as const
export type StopScope = (typeof scopes)[number]

/** More at once would come near the limit of requests per minute. To stop more, stop everything. */
export const maxChosen = 20

const ids = (value: unknown): string | undefined =>
  String(value).split(',').filter(isUuid).slice(0, maxChosen).join(',') || undefined

/** What is about to be stopped; `ids` are separated by commas. */
export const readStopFilter = readSearch({ what: oneOf(scopes), ids })

export type StopFilter = ReturnType<typeof readStopFilter>

/** The member that names the subject of a stop. */
const members = { channel: 'channel_target_id', space: 'space_id', unit: 'unit_id' } as const

export type StopSubject = { [Member in (typeof members)[keyof typeof members]]?: string }

/** The stops that a choice stands for: one for each record, or a single one for everything. */
export const subjectsOf = (scope: StopScope | undefined, ids: readonly string[]): StopSubject[] =>
  scope === undefined ? [] : scope === 'everything' ? [{}] : ids.map((id) => ({ [members[scope]]: id }))
