import { useMemo } from 'react'
import { listSalesStops } from '@vacancy/client'

import type { Column } from '../../components/record-columns.ts'
import { RecordTable } from '../../components/record-table.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { stopMessages } from './messages.ts'
import { ReachLine } from './stop-card.tsx'
import { useReach, useStopName } from './use-stops.ts'
import type { SalesStop } from './use-stops.ts'
import styles from './stop-sell.module.css'

/** After so long only the fact is of interest, not how the end of a stop got to the channels. */
const followedMs = 15 * 60_000

const lifted = { query: { lifted: true, sort: '-created_at' } } as const

/** The stops that were lifted; a late one says where sales are open again. */
export const EarlierStops = () => {
  const text = useMessages(stopMessages)
  const format = useFormat()
  const list = useRecords(listSalesStops, lifted)
  const nameOf = useStopName(list.records ?? [])
  const columns = useMemo(
    (): Column<SalesStop>[] => [
      {
        id: 'name',
        header: text('salesOf'),
        width: 'minmax(150px, 2fr)',
        cell: (stop) => <LiftedName stop={stop} name={nameOf(stop)} />,
      },
      {
        id: 'reason',
        header: text('reason'),
        width: 'minmax(120px, 1.4fr)',
        cell: ({ reason }) => reason ?? <span className={styles.quiet}>{text('noReason')}</span>,
      },
      { id: 'who', header: text('who'), width: '128px', cell: ({ stopped_by }) => stopped_by.name },
      {
        id: 'when',
        header: text('when'),
        width: '172px',
        phone: 'labelled',
        cell: ({ created_at }) => format.dayTime(created_at),
      },
      {
        id: 'lifted',
        header: text('lifted'),
        width: '172px',
        phone: 'labelled',
        cell: ({ lifted_at: at }) => at && format.dayTime(at),
      },
    ],
    [text, format, nameOf],
  )
  if (!list.error && !list.records?.length) return null
  return (
    <section className={styles.part} aria-label={text('earlier')}>
      <h2 className={styles.heading}>{text('earlier')}</h2>
      <RecordTable label={text('earlier')} columns={columns} list={list} empty={null} />
    </section>
  )
}

const LiftedName = ({ stop, name }: { stop: SalesStop; name: string }) => {
  const isRecent = stop.lifted_at !== null && Date.now() - Date.parse(stop.lifted_at) < followedMs
  return (
    <span className={styles.lifted}>
      {name}
      {isRecent && <LiftedReach stop={stop} />}
    </span>
  )
}

const LiftedReach = ({ stop }: { stop: SalesStop }) => {
  const { data: reach } = useReach(stop)
  return reach ? <ReachLine reach={reach} isLifted /> : null
}
