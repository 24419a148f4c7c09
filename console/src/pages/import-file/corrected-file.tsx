import { cancelFileImport, updateFileImport } from '@vacancy/client'

import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import { isOpen } from '../import/use-import.ts'
import type { FileImport } from './fields.ts'
import { FilePicker } from './file-picker.tsx'
import { fileMessages } from './messages.ts'
import { useUpload } from './use-file-import.ts'

/** The same file again: its columns mean what was chosen, and it takes the place of what was not run. */
export const CorrectedFile = ({ current }: { current: FileImport }) => {
  const text = useMessages(fileMessages)
  const api = useApi()
  const upload = useUpload()
  const cancel = (id: string) => api.send(cancelFileImport, { path: { id } })
  const replaceBy = async ({ id, columns, ...uploaded }: FileImport) => {
    const { mapping } = current
    // Only a file whose dates say so has the month first by itself.
    const date_order = uploaded.date_order === 'mdy' ? 'mdy' : current.date_order
    if (mapping.every(({ column }) => columns.includes(column)))
      await api.send(updateFileImport, { path: { id }, body: { mapping, date_order } })
    if (isOpen(current)) await cancel(current.id)
  }
  const replace = async (file: File) => {
    const uploaded = await upload(current.kind, file)
    try {
      await replaceBy(uploaded)
    } catch (failure) {
      // It would stay open beside this one, with columns that mean something else.
      await cancel(uploaded.id).catch(() => {})
      throw failure
    }
    return uploaded.id
  }
  return <FilePicker label={text('chooseAgain')} variant="default" onFile={replace} />
}
