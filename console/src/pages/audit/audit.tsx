import { useMemo } from 'react'
import { Button } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { exportAudit, listAudit } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { EmptyState } from '../../components/empty-state.tsx'
import { ExportButton } from '../../components/export-button.tsx'
import { DateField, DateRange, FilterBar, SearchField, SelectField } from '../../components/filters.tsx'
import { Page } from '../../components/page.tsx'
import { withMember } from '../../components/read-search.ts'
import type { Column } from '../../components/record-columns.ts'
import { RecordTable } from '../../components/record-table.tsx'
import { SavedViews } from '../../components/saved-views.tsx'
import { saveFile } from '../../components/save-file.ts'
import { useRecords } from '../../components/use-records.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import { Changes } from './changes.tsx'
import { entryLink } from './entry-link.ts'
import { auditKinds, auditQuery } from './filter.ts'
import type { AuditFilter } from './filter.ts'
import { auditMessages } from './messages.ts'
import styles from './audit.module.css'

const route = getRouteApi('/audit')

type Entry = contract.AuditLogEntry

/** Who changed what: every setting, price, booking and stop, with the values before and after. */
export const Audit = () => {
  const text = useMessages(auditMessages)
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const setFilter = (search: AuditFilter) => void navigate({ search, replace: true })
  const list = useRecords(listAudit, { query: auditQuery(filter) })
  const columns = useColumns()
  const isFiltered = Object.keys(filter).length > 0
  return (
    <Page
      title={text('title')}
      actions={<Export filter={filter} />}
      filters={
        <FilterBar
          search={
            <SearchField
              label={text('search')}
              value={filter.q}
              onChange={(q) => setFilter(withMember(filter, 'q', q))}
            />
          }
          count={Object.keys(filter).filter((name) => name !== 'q').length}
        >
          <SelectField
            label={text('what')}
            value={filter.kind}
            options={auditKinds.map((kind) => ({ value: kind, label: text(kind) }))}
            onChange={(kind) => setFilter(withMember(filter, 'kind', kind))}
          />
          <DateRange>
            <DateField
              label={text('from')}
              value={filter.from}
              onChange={(from) => setFilter(withMember(filter, 'from', from))}
            />
            <DateField
              label={text('to')}
              value={filter.to}
              onChange={(to) => setFilter(withMember(filter, 'to', to))}
            />
          </DateRange>
        </FilterBar>
      }
      views={<SavedViews screen="audit" filter={filter} onFilter={setFilter} />}
    >
      <RecordTable
        label={text('title')}
        columns={columns}
        list={list}
        empty={
          isFiltered ? (
            <EmptyState
              title={text('nothing')}
              action={
                <Button variant="default" onClick={() => setFilter({})}>
                  {text('clear')}
                </Button>
              }
            />
          ) : (
            <EmptyState title={text('none')}>{text('noneText')}</EmptyState>
          )
        }
      />
    </Page>
  )
}

const useColumns = (): Column<Entry>[] => {
  const text = useMessages(auditMessages)
  const format = useFormat()
  return useMemo(
    () => [
      {
        id: 'record',
        header: text('record'),
        width: 'minmax(150px, 1.1fr)',
        cell: (entry) => <Subject entry={entry} />,
      },
      {
        id: 'happened',
        header: text('happened'),
        width: 'minmax(220px, 2.4fr)',
        cell: (entry) => (
          <div className={styles.happened}>
            <span>{text(isVerb(entry.action) ? entry.action : 'updated')}</span>
            <Changes entry={entry} />
          </div>
        ),
      },
      { id: 'who', header: text('who'), width: 'minmax(110px, 0.8fr)', cell: ({ actor }) => actor.name },
      {
        id: 'when',
        header: text('when'),
        width: '170px',
        cell: ({ created_at }) => (
          <time dateTime={created_at} title={format.dateTime(created_at)}>
            {format.dayTime(created_at)}
          </time>
        ),
      },
    ],
    [text, format],
  )
}

const isVerb = (action: string): action is keyof (typeof auditMessages)['en'] =>
  Object.hasOwn(auditMessages.en, action)

/** What was changed: its name, which leads to it, and what kind of record it is. */
const Subject = ({ entry }: { entry: Entry }) => {
  const text = useMessages(auditMessages)
  const link = entryLink(entry)
  const kind = text(entry.kind)
  const name = entry.name ?? kind
  return (
    <span className={styles.subject}>
      {link ? <Link {...link}>{name}</Link> : <span className={styles.name}>{name}</span>}
      {entry.name && <span className={styles.kind}>{kind}</span>}
    </span>
  )
}

const Export = ({ filter }: { filter: AuditFilter }) => {
  const text = useMessages(auditMessages)
  const api = useApi()
  const save = async () =>
    saveFile(await api.download(exportAudit, { query: auditQuery(filter) }), 'audit.csv')
  return <ExportButton label={text('exportCsv')} permission="audit:read" onExport={save} />
}
