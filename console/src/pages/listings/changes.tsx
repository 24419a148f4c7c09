import type { AuditEntry } from '@vacancy/client'

import { Arrow } from '../../parts/icons.tsx'
import { nameOf } from './accepted.ts'
import { Value } from './value.tsx'
import look from './entry.module.css'

type Change = AuditEntry['changes'][number]

const shownFirst = 4

interface ChangesProps {
  changes: Change[]
  currency: string
}

/** From what to what; a first sync changes everything, so only the beginning is unfolded. */
export const Changes = ({ changes, currency }: ChangesProps) => {
  const rest = changes.slice(shownFirst)
  return (
    <>
      <Lines changes={changes.slice(0, shownFirst)} currency={currency} />
      {rest.length > 0 && (
        <details className={look.wire}>
          <summary>{rest.length} more fields</summary>
          <Lines changes={rest} currency={currency} />
        </details>
      )}
    </>
  )
}

const Lines = ({ changes, currency }: ChangesProps) =>
  changes.length > 0 && (
    <ul className={look.changes}>
      {changes.map(({ field, before, after }) => (
        <li key={field}>
          <span className={look.field}>{nameOf(field)}</span>
          {before !== null && (
            <>
              <span className={look.before}>
                <Value field={field} value={before} currency={currency} />
              </span>
              <Arrow />
              <span className="unseen">became</span>
            </>
          )}
          <span className={look.after}>
            <Value field={field} value={after} currency={currency} />
          </span>
        </li>
      ))}
    </ul>
  )
