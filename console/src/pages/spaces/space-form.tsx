import { getSpace, updateSpace } from '@vacancy/client'
import type { Space } from '@vacancy/client'

import { componentMessages } from '../../components/component-messages.ts'
import { FormFrame } from '../../components/form-frame.tsx'
import styles from '../../components/form.module.css'
import { useReadFields } from '../../components/read-fields.ts'
import { pickNamed, useRecordForm } from '../../components/record-form.ts'
import { Section } from '../../components/section.tsx'
import { useToast } from '../../components/toast.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { useRefreshInventory } from '../units/use-unit.ts'
import { spaceMessages } from './messages.ts'
import { bodyOf, draftOf } from './space-draft.ts'
import { SpaceFields } from './space-fields.tsx'

/** The facts of a space, changed in place. */
export const SpaceForm = ({ space, etag }: { space: Space; etag: string | null }) => {
  const text = useMessages(spaceMessages)
  const common = useMessages(componentMessages)
  const api = useApi()
  const toast = useToast()
  const { may } = useCaller()
  const readFields = useReadFields()
  const refresh = useRefreshInventory()
  const { id } = space

  const form = useRecordForm({
    current: draftOf(space),
    etag,
    refresh: () => refresh(getSpace.path),
    save: async (draft, changed, ifMatch) => {
      const body = readFields(draft, (read) => bodyOf(read, draft))
      const changes = pickNamed(body, changed)
      await api.send(updateSpace, { path: { id }, body: changes, ifMatch })
      toast({ message: common('saved') })
    },
  })
  const refusal = !may('spaces:write')
    ? text('mayNotWrite')
    : space.status === 'archived'
      ? text('archivedReason')
      : undefined
  return (
    <FormFrame form={form} refusal={refusal}>
      <Section title={text('details')}>
        <div className={styles.form}>
          <SpaceFields form={form} />
        </div>
      </Section>
    </FormFrame>
  )
}
