import { Button } from '@mantine/core'
import { createSpace, getSpace } from '@vacancy/client'
import type { Space } from '@vacancy/client'

import { ButtonLink } from '../../components/button-link.tsx'
import { componentMessages } from '../../components/component-messages.ts'
import { FormFrame } from '../../components/form-frame.tsx'
import styles from '../../components/form.module.css'
import { Page } from '../../components/page.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { useReadFields } from '../../components/read-fields.ts'
import { useRecordForm } from '../../components/record-form.ts'
import { TableSkeleton } from '../../components/table-skeleton.tsx'
import { Section } from '../../components/section.tsx'
import { useToast } from '../../components/toast.tsx'
import { useNavigateIfShown } from '../../components/use-navigate-if-shown.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller, useSendOnce } from '../../session/api.tsx'
import { useSpaces } from '../portfolio/use-portfolio-records.ts'
import { unitMessages } from '../units/messages.ts'
import { useRefreshInventory } from '../units/use-unit.ts'
import { spaceMessages } from './messages.ts'
import { bodyOf, emptyDraft } from './space-draft.ts'
import { SpaceFields } from './space-fields.tsx'

/** The form of a new space. */
export const NewSpace = () => {
  const text = useMessages(spaceMessages)
  const unitText = useMessages(unitMessages)
  const { data: spaces, error, refetch } = useSpaces()
  return (
    <Page title={text('newSpace')} width="narrow" back={{ link: { to: '/units' }, place: unitText('units') }}>
      <ProblemNote failure={spaces ? null : error} onRetry={() => void refetch()} />
      {spaces ? <NewSpaceForm like={spaces[0]} /> : !error && <TableSkeleton />}
    </Page>
  )
}

const NewSpaceForm = ({ like }: { like: Space | undefined }) => {
  const text = useMessages(spaceMessages)
  const common = useMessages(componentMessages)
  const sendOnce = useSendOnce()
  const toast = useToast()
  const navigate = useNavigateIfShown()
  const { may } = useCaller()
  const readFields = useReadFields()
  const refresh = useRefreshInventory()
  const refusal = may('spaces:write') ? undefined : text('mayNotWrite')
  const form = useRecordForm({
    current: emptyDraft(like),
    save: async (draft) => {
      const { space } = await sendOnce(createSpace, {
        body: readFields(draft, (read) => bodyOf(read, draft)),
      })
      await navigate({ to: '/spaces/$spaceId', params: { spaceId: space.id } })
      toast({ message: text('created', { name: space.name }) })
      void refresh(getSpace.path)
    },
  })
  return (
    <FormFrame
      form={form}
      refusal={refusal}
      buttons={
        <div className={styles.buttons}>
          <Button type="submit" loading={form.isSaving} disabled={refusal !== undefined} title={refusal}>
            {text('create')}
          </Button>
          <ButtonLink to="/units" variant="default">
            {common('cancel')}
          </ButtonLink>
        </div>
      }
    >
      <Section title={text('details')}>
        <div className={styles.form}>
          <SpaceFields form={form} />
        </div>
      </Section>
    </FormFrame>
  )
}
