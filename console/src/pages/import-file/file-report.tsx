import { ButtonLink } from '../../components/button-link.tsx'
import { useMessages } from '../../i18n/language.tsx'
import styles from '../import/import.module.css'
import type { FileImport } from './fields.ts'
import { fileMessages } from './messages.ts'
import { countRows } from './use-file-import.ts'

const reports = {
  units: { made: 'madeUnits', show: 'showUnits', to: '/units' },
  rates: { made: 'madeRates', show: 'showRates', to: '/calendar' },
  bookings: { made: 'madeBookings', show: 'showBookings', to: '/bookings' },
} as const

/** How many records an import has made. */
export const MadeCount = ({ current }: { current: FileImport }) =>
  useMessages(fileMessages)(reports[current.kind].made, {
    count: countRows(current, 'create', 'update').done,
  })

/** How many records an import has made, and where they are. */
export const FileReport = ({ current }: { current: FileImport }) => {
  const text = useMessages(fileMessages)
  const { show, to } = reports[current.kind]
  return (
    <section className={styles.next} aria-labelledby="finished">
      <h2 id="finished">{text('finished')}</h2>
      <ol>
        <li>
          <div>
            <p>
              <MadeCount current={current} />
            </p>
          </div>
          <ButtonLink to="/import" search={{ from: 'file' }} variant="default">
            {text('another')}
          </ButtonLink>
          <ButtonLink to={to} search={{}}>
            {text(show)}
          </ButtonLink>
        </li>
      </ol>
    </section>
  )
}
