import { getRouteApi, Link } from '@tanstack/react-router'
import type { Unit } from '@vacancy/client'

import { ButtonLink } from '../../components/button-link.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { RecordFallback } from '../../components/record-fallback.tsx'
import { Section } from '../../components/section.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import type { RecordList } from '../../components/use-records.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { recordStatusMessages, unitTypeMessages } from '../../i18n/record-messages.ts'
import { PhotosSection } from '../media/photos-section.tsx'
import { ChargesSection } from '../pricing/charges-section.tsx'
import { unitMessages } from '../units/messages.ts'
import { spaceMessages } from './messages.ts'
import { SpaceActions } from './space-actions.tsx'
import { SpaceForm } from './space-form.tsx'
import { useSpace, useUnitsOf } from './use-space.ts'
import styles from '../units/unit.module.css'

const route = getRouteApi('/spaces/$spaceId')

/** One space: where it is, and its units. */
export const SpacePage = () => {
  const text = useMessages(spaceMessages)
  const unitText = useMessages(unitMessages)
  const statusText = useMessages(recordStatusMessages)
  const { spaceId } = route.useParams()
  const { data, error, refetch } = useSpace(spaceId)
  const units = useUnitsOf(spaceId)
  const back = { link: { to: '/units' }, place: unitText('units') } as const

  if (!data)
    return (
      <Page title={text('space')} back={back}>
        <RecordFallback error={error} title={text('loadFailed')} onRetry={() => void refetch()} />
      </Page>
    )
  const { space, etag } = data
  return (
    <Page
      readError={error}
      title={space.name}
      back={back}
      summary={[space.city, statusText(space.status)].filter(Boolean).join(' · ')}
      actions={
        <>
          <ButtonLink to="/calendar" search={{ space: spaceId }} variant="default">
            {unitText('openCalendar')}
          </ButtonLink>
          <SpaceActions space={space} etag={etag} unitIds={(units.records ?? []).map(({ id }) => id)} />
        </>
      }
    >
      <div className={styles.columns}>
        <div>
          <SpaceForm space={space} etag={etag} />
          <ChargesSection place={{ spaceId, unitId: null, currency: space.currency }} />
        </div>
        <div>
          <UnitsSection spaceId={spaceId} units={units} />
          <PhotosSection place={{ spaceId, unitId: null }} />
        </div>
      </div>
    </Page>
  )
}

const UnitsSection = ({ spaceId, units }: { spaceId: string; units: RecordList<Unit> }) => {
  const text = useMessages(spaceMessages)
  const typeText = useMessages(unitTypeMessages)
  const statusText = useMessages(recordStatusMessages)
  const format = useFormat()
  return (
    <Section
      title={text('units')}
      actions={
        <ButtonLink to="/units/new" search={{ space: spaceId }} size="compact-sm" variant="default">
          {text('addUnit')}
        </ButtonLink>
      }
    >
      <ProblemNote failure={units.error} onRetry={units.refetch} />
      {units.records?.length === 0 && <p className={styles.hint}>{text('noUnits')}</p>}
      <ul className={styles.rows}>
        {units.records?.map((unit) => (
          <li key={unit.id}>
            <Link to="/units/$unitId" params={{ unitId: unit.id }}>
              {unit.name}
            </Link>
            <span className={styles.when}>
              {[typeText(unit.type), unit.status !== 'active' && statusText(unit.status)]
                .filter(Boolean)
                .join(' · ')}
            </span>
            <span className={styles.figure}>{format.money(unit.base_price_cents, unit.currency)}</span>
          </li>
        ))}
      </ul>
      <ShowMore list={units} size="compact-sm" />
    </Section>
  )
}
