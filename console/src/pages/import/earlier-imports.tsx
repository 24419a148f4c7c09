import { useMemo } from 'react'
import type { LinkProps } from '@tanstack/react-router'

import type { Column } from '../../components/record-columns.ts'
import { RecordTable } from '../../components/record-table.tsx'
import type { RecordList } from '../../components/use-records.ts'
import { useTargetsQuery } from '../../components/use-targets.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { ImportState } from './import-state.tsx'
import { itemMessages } from './item-messages.ts'
import { importMessages } from './messages.ts'
import { countItems } from './use-import.ts'
import type { Import } from './use-import.ts'
import styles from './source.module.css'

/** Imports that were begun, newest first. */
export const EarlierImports = ({ list }: { list: RecordList<Import> }) => {
  const text = useMessages(importMessages)
  const items = useMessages(itemMessages)
  const format = useFormat()
  const { data: targets } = useTargetsQuery()
  const columns = useMemo(
    (): Column<Import>[] => [
      {
        id: 'channel',
        header: text('channel'),
        width: 'minmax(140px, 2fr)',
        cell: ({ channel_target_id: id }) =>
          targets && (targets.find((target) => target.id === id)?.name ?? text('deletedChannel')),
      },
      {
        id: 'state',
        header: text('state'),
        width: 'minmax(140px, 1fr)',
        phone: 'end',
        cell: ({ status }) => <ImportState status={status} />,
      },
      {
        id: 'created',
        header: items('units'),
        width: '90px',
        align: 'end',
        phone: 'labelled',
        cell: (one) => format.number(countItems(one, 'unit', 'create').done),
      },
      {
        id: 'started',
        header: text('started'),
        width: '172px',
        cell: ({ created_at: at }) => format.dayTime(at),
      },
    ],
    [text, items, format, targets],
  )
  return (
    <section className={styles.earlier} aria-label={text('earlier')}>
      <h2>{text('earlier')}</h2>
      <RecordTable label={text('earlier')} columns={columns} list={list} link={linkOf} empty={null} />
    </section>
  )
}

const linkOf = ({ id }: Import): LinkProps => ({ to: '/import/$importId', params: { importId: id } })
