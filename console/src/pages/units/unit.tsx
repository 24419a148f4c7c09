import { getRouteApi } from '@tanstack/react-router'

import { ButtonLink } from '../../components/button-link.tsx'
import { Page } from '../../components/page.tsx'
import { RecordFallback } from '../../components/record-fallback.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { recordStatusMessages, unitTypeMessages } from '../../i18n/record-messages.ts'
import { FeedsSection } from '../feeds/feeds-section.tsx'
import { PhotosSection } from '../media/photos-section.tsx'
import { ChargesSection } from '../pricing/charges-section.tsx'
import { RatePlansSection } from '../pricing/rate-plans-section.tsx'
import { unitMessages } from './messages.ts'
import { UnitActions } from './unit-actions.tsx'
import { UnitForm } from './unit-form.tsx'
import { BookingsSection, ListingsSection, WhereSection } from './unit-surroundings.tsx'
import { useUnit } from './use-unit.ts'
import styles from './unit.module.css'

const route = getRouteApi('/units/$unitId')

/** One unit: what it is and costs, where it is sold, who comes next. */
export const UnitPage = () => {
  const text = useMessages(unitMessages)
  const typeText = useMessages(unitTypeMessages)
  const statusText = useMessages(recordStatusMessages)
  const { unitId } = route.useParams()
  const { data, error, refetch } = useUnit(unitId)
  const back = { link: { to: '/units' }, place: text('units') } as const

  if (!data)
    return (
      <Page title={text('unit')} back={back}>
        <RecordFallback error={error} title={text('loadFailed')} onRetry={() => void refetch()} />
      </Page>
    )
  const { unit, etag } = data
  return (
    <Page
      readError={error}
      title={unit.name}
      back={back}
      summary={[unit.space.name, typeText(unit.type), statusText(unit.status)].join(' · ')}
      actions={
        <>
          <ButtonLink to="/calendar" search={{ q: unit.name, unit: unit.id }} variant="default">
            {text('openCalendar')}
          </ButtonLink>
          <UnitActions unit={unit} etag={etag} />
        </>
      }
    >
      <div className={styles.columns}>
        <div>
          <UnitForm unit={unit} etag={etag} />
          <RatePlansSection unit={unit} />
          <ChargesSection place={{ spaceId: unit.space_id, unitId, currency: unit.currency }} />
        </div>
        <div>
          <ListingsSection unit={unit} />
          <BookingsSection unit={unit} />
          <FeedsSection unit={unit} />
          <PhotosSection place={{ spaceId: unit.space_id, unitId }} />
          <WhereSection space={unit.space} />
        </div>
      </div>
    </Page>
  )
}
