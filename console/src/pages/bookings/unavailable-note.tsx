import { Problem } from '@vacancy/client'

import { ProblemNote } from '../../components/problem-note.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { unavailableMessages } from './unavailable-messages.ts'
import note from '../../components/problem-note.module.css'

interface Reason {
  date: string
  term: string
  limit: number | null
  message: string
}

/** Why there is no price: every reason, where the stay cannot be sold; otherwise the problem. */
export const UnavailableNote = ({ failure }: { failure: unknown }) => {
  const text = useMessages(unavailableMessages)
  const format = useFormat()
  const reasons = reasonsOf(failure)
  if (reasons.length === 0) return <ProblemNote failure={failure} />
  const groups = Map.groupBy(reasons, ({ term, limit, message }) =>
    isTerm(term) ? `${term} ${limit}` : message,
  )
  return (
    <div className={note.note} role="alert">
      <div>
        {[...groups].map(([key, group]) => {
          const { term, limit, message } = group[0] as Reason
          const dates = group.map(({ date }) => format.shortDate(date)).join('; ')
          return <div key={key}>{isTerm(term) ? text(term, { limit: limit ?? 0, dates }) : message}</div>
        })}
      </div>
    </div>
  )
}

const reasonsOf = (failure: unknown): Reason[] =>
  failure instanceof Problem && failure.code === 'dates-unavailable'
    ? ((failure.members['reasons'] as Reason[] | undefined) ?? [])
    : []

const isTerm = (term: string): term is keyof (typeof unavailableMessages)['en'] =>
  Object.hasOwn(unavailableMessages.en, term)
