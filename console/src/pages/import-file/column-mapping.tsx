import { useMutation, useQueryClient } from '@tanstack/react-query'
import { getFileImport, listFileImportRows, updateFileImport } from '@vacancy/client'

import { ProblemNote } from '../../components/problem-note.tsx'
import { Section } from '../../components/section.tsx'
import { useFailure } from '../../components/use-failure.ts'
import { useRecords } from '../../components/use-records.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { fieldMessages } from './field-messages.ts'
import { fieldsOf, hasDates, missingFieldsOf, requiredFieldsOf } from './fields.ts'
import type { FieldName, FileImport } from './fields.ts'
import { fileMessages } from './messages.ts'
import { mappingKey } from './use-file-import.ts'
import styles from './import-file.module.css'

type Mapping = Pick<FileImport, 'mapping' | 'date_order'>

/** What each column of the file is. A change plans the rows again, and the fields stay where they are meanwhile. */
export const ColumnMapping = ({ current }: { current: FileImport }) => {
  const text = useMessages(fileMessages)
  const fields = useMessages(fieldMessages)
  const api = useApi()
  const queries = useQueryClient()
  const { may } = useCaller()
  const { records } = useRecords(listFileImportRows, { path: { id: current.id }, query: { limit: 1 } })
  const refusal = may('imports:write') ? undefined : text('mayNot')
  const [failure, setFailure] = useFailure()
  const queryKey = [getFileImport.path, current.id]
  const {
    mutate,
    variables: latest,
    isPending,
  } = useMutation({
    mutationKey: mappingKey(current.id),
    // One after the other: the last choice is the one that stays.
    scope: { id: current.id },
    onMutate: () => setFailure(null),
    mutationFn: (body: Mapping) => api.send(updateFileImport, { path: { id: current.id }, body }),
    onSuccess: async ({ file_import: saved }) => {
      // It may have been read before the change.
      await queries.cancelQueries({ queryKey })
      queries.setQueryData<FileImport>(queryKey, saved)
    },
    onError: (cause) => {
      setFailure(cause)
      return queries.invalidateQueries({ queryKey })
    },
  })
  // An earlier change that is saved meanwhile is not shown.
  const shown: FileImport = isPending ? { ...current, ...latest } : current
  const change = (body: Partial<Mapping>) => {
    const { mapping, date_order } = shown
    mutate({ mapping, date_order, ...body })
  }
  const missing = missingFieldsOf(shown)

  /** A field has one column, so that another one loses it. */
  const choose = (column: string, field: FieldName | undefined) => {
    const others = shown.mapping.filter((mapped) => mapped.column !== column && mapped.field !== field)
    change({ mapping: field ? [...others, { field, column }] : others })
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
                  value={shown.mapping.find((mapped) => mapped.column === column)?.field ?? ''}
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
        {hasDates(shown) && (
          <li>
            <label>
              <span className={styles.column}>{text('dates')}</span>
              <select
                value={shown.date_order}
                disabled={refusal !== undefined}
                title={refusal}
                onChange={({ currentTarget: { value } }) =>
                  change({ date_order: value === 'mdy' ? 'mdy' : 'dmy' })
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
