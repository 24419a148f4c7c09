import { useState } from 'react'

import { Section } from '../../components/section.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller } from '../../session/api.tsx'
import source from '../import/source.module.css'
import { EarlierFiles } from './earlier-files.tsx'
import { importKinds } from './fields.ts'
import type { ImportKind } from './fields.ts'
import { FilePicker } from './file-picker.tsx'
import { fileMessages } from './messages.ts'
import { useUpload } from './use-file-import.ts'

/** What the file has, and the file. */
export const FileSource = () => {
  const text = useMessages(fileMessages)
  const { may } = useCaller()
  const upload = useUpload()
  const [kind, setKind] = useState<ImportKind>('units')
  return (
    <>
      <p className={source.promise}>{text('promise')}</p>
      <Section title={text('what')}>
        <div className={source.sources} role="radiogroup" aria-label={text('what')}>
          {importKinds.map((one) => (
            <label key={one} className={source.source}>
              <input
                type="radio"
                name="kind"
                value={one}
                checked={kind === one}
                onChange={() => setKind(one)}
              />
              <span className={source.sourceName}>{text(one)}</span>
              <span className={source.quiet}>{text(`${one}Text`)}</span>
            </label>
          ))}
        </div>
      </Section>
      <Section title={text('file')}>
        <FilePicker label={text('choose')} onFile={async (file) => (await upload(kind, file)).id} />
      </Section>
      {may('imports:read') && <EarlierFiles />}
    </>
  )
}
