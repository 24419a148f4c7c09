import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { getFileImport, listFileImportRows, updateFileImport } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { ProblemNote } from '../../components/problem-note.tsx'
import { Section } from '../../components/section.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { fieldMessages } from './field-messages.ts'
import { fieldsOf, hasDates, missingFieldsOf, requiredFieldsOf } from './fields.ts'
import type { FieldName, FileImport } from './fields.ts'
import { fileMessages } from './messages.ts'
import styles from './import-file.module.css'

/** What each column of the file is. A change plans the rows again, and the fields stay where they are meanwhile. */
export const ColumnMapping = ({ current }: { current: FileImport }) => {
  const text = useMessages(fileMessages)
  const fields = useMessages(fieldMessages)
  const api = useApi()
  const queries = useQueryClient()
  const { may } = useCaller()
  const [failure, setFailure] = useState<unknown>(null)
  const { records } = useRecords(listFileImportRows, { path: { id: current.id }, query: { limit: 1 } })
  const refusal = may('imports:write') ? undefined : text('mayNot')
  const missing = missingFieldsOf(current)

  const change = async (body: contract.FileImportPatch) => {
    const queryKey = [getFileImport.path, current.id]
    setFailure(null)
    await queries.cancelQueries({ queryKey })
    queries.setQueryData<FileImport>(queryKey, {
      ...{ ...current, ...body, status: 'planning', planned_count: 0, counts: [] },
    })
    try {
      const { file_import: saved } = await api.send(updateFileImport, { path: { id: current.id }, body })
      queries.setQueryData<FileImport>(queryKey, saved)
    } catch (cause) {
      setFailure(cause)
      await queries.invalidateQueries({ queryKey })
    }
  }
  /** A field has one column, so that another one loses it. */
  const choose = (column: string, field: FieldName | undefined) => {
    const others = current.mapping.filter((mapped) => mapped.column !== column && mapped.field !== field)
    void change({ mapping: field ? [...others, { field, column }] : others })
  }
  const labelOf = (field: FieldName) =>
    requiredFieldsOf[current.kind].includes(field) ? `${fields(field)} (${text('needed')})` : fields(field)

  return (
    <Section title={text('columns')}>
      <p className={styles.quiet}>{text('columnsText')}</p>
      {missing.length > 0 && (
        <p className={styles.missing} role="alert">
          {text('missing', { fields: missing.map((field) => fields(field)).join(', ') })}
        </p>
      )}
      <ProblemNote failure={failure} />
      <ul className={styles.columns}>
        {current.columns.map((column, at) => {
          const example = records?.[0]?.cells?.[at]
          return (
            <li key={column}>
              <label>
                <span className={styles.column}>
                  {column}
                  {example && <span className={styles.quiet}>{text('example', { value: example })}</span>}
                </span>
                <select
                  value={current.mapping.find((mapped) => mapped.column === column)?.field ?? ''}
                  disabled={refusal !== undefined}
                  title={refusal}
                  onChange={({ currentTarget: { value } }) =>
                    choose(
                      column,
                      fieldsOf[current.kind].find((field) => field === value),
                    )
                  }
                >
                  <option value="">{text('ignored')}</option>
                  {fieldsOf[current.kind].map((field) => (
                    <option key={field} value={field}>
                      {labelOf(field)}
                    </option>
                  ))}
                </select>
              </label>
            </li>
          )
        })}
        {hasDates(current) && (
          <li>
            <label>
              <span className={styles.column}>{text('dates')}</span>
              <select
                value={current.date_order}
                disabled={refusal !== undefined}
                title={refusal}
                onChange={({ currentTarget: { value } }) =>
                  void change({ date_order: value === 'mdy' ? 'mdy' : 'dmy' })
                }
              >
                <option value="dmy">{text('dmy')}</option>
                <option value="mdy">{text('mdy')}</option>
              </select>
            </label>
          </li>
        )}
      </ul>
    </Section>
  )
}
