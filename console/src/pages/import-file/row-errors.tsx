import { useMemo } from 'react'
import { listFileImportRows } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import type { Column } from '../../components/record-columns.ts'
import { RecordTable } from '../../components/record-table.tsx'
import { Section } from '../../components/section.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useMessages } from '../../i18n/language.tsx'
import { CorrectedFile } from './corrected-file.tsx'
import type { FileImport } from './fields.ts'
import { fileMessages } from './messages.ts'
import { useRowErrorText } from './row-error-text.ts'
import styles from './import-file.module.css'

type RowError = contract.RowError & { id: string; position: number }

/** What is wrong with which rows, and the file again after it was corrected. */
export const RowErrors = ({ current }: { current: FileImport }) => {
  const text = useMessages(fileMessages)
  const translated = useRowErrorText()
  const list = useRecords(listFileImportRows, { path: { id: current.id }, query: { action: ['error'] } })
  const records = useMemo(
    () =>
      list.records?.flatMap(({ id, position, errors }) =>
        errors.map((error, at): RowError => ({ ...error, id: `${id} ${at}`, position })),
      ),
    [list.records],
  )
  const columns = useMemo(
    (): Column<RowError>[] => [
      {
        id: 'row',
        header: text('row'),
        width: '92px',
        cell: ({ position }) => text('rowNumber', { number: position }),
      },
      { id: 'column', header: text('column'), width: 'minmax(110px, 1fr)', cell: ({ column }) => column },
      {
        id: 'value',
        header: text('value'),
        width: 'minmax(110px, 1fr)',
        phone: 'labelled',
        cell: ({ value }) => value,
      },
      {
        id: 'reason',
        header: text('reason'),
        width: 'minmax(220px, 3fr)',
        cell: (error) => {
          const { message, original } = translated(error)
          return (
            <>
              {message}
              {original && (
                <span className={styles.original} lang="en">
                  {original}
                </span>
              )}
            </>
          )
        },
      },
    ],
    [text, translated],
  )
  return (
    <Section title={text('errors')}>
      <p className={styles.quiet}>{text(current.status === 'completed' ? 'errorsLeft' : 'errorsText')}</p>
      <RecordTable label={text('errors')} columns={columns} list={{ ...list, records }} empty={null} />
      <CorrectedFile current={current} />
    </Section>
  )
}
