import { useMemo } from 'react'
import type { LinkProps } from '@tanstack/react-router'
import { listFileImports } from '@vacancy/client'

import type { Column } from '../../components/record-columns.ts'
import { RecordTable } from '../../components/record-table.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { ImportState } from '../import/import-state.tsx'
import { importMessages } from '../import/messages.ts'
import source from '../import/source.module.css'
import type { FileImport } from './fields.ts'
import { fileMessages } from './messages.ts'

/** Files that were imported, newest first. */
export const EarlierFiles = () => {
  const text = useMessages(fileMessages)
  const common = useMessages(importMessages)
  const format = useFormat()
  const list = useRecords(listFileImports, { query: { sort: '-created_at' } })
  const columns = useMemo(
    (): Column<FileImport>[] => [
      {
        id: 'file',
        header: text('file'),
        width: 'minmax(140px, 2fr)',
        cell: ({ file_name: name, kind }) => name ?? text(kind),
      },
      { id: 'kind', header: text('kind'), width: 'minmax(110px, 1fr)', cell: ({ kind }) => text(kind) },
      {
        id: 'state',
        header: common('state'),
        width: 'minmax(130px, 1fr)',
        phone: 'end',
        cell: ({ status }) => <ImportState status={status} />,
      },
      {
        id: 'started',
        header: common('started'),
        width: '172px',
        cell: ({ created_at: at }) => format.dayTime(at),
      },
    ],
    [text, common, format],
  )
  if (list.records?.length === 0) return null
  return (
    <section className={source.earlier} aria-label={text('earlier')}>
      <h2>{text('earlier')}</h2>
      <RecordTable label={text('earlier')} columns={columns} list={list} link={linkOf} empty={null} />
    </section>
  )
}

const linkOf = ({ id }: FileImport): LinkProps => ({ to: '/import/file/$importId', params: { importId: id } })
