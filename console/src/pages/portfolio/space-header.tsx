import { Link } from '@tanstack/react-router'

import { useMessages } from '../../i18n/language.tsx'
import { recordStatusMessages } from '../../i18n/record-messages.ts'
import type { Group } from './group-units.ts'
import { portfolioMessages } from './messages.ts'
import styles from './space-header.module.css'

/** The name and place of a space above its units. */
export const SpaceHeader = ({ group: { space, rows } }: { group: Group }) => {
  const text = useMessages(portfolioMessages)
  const statusText = useMessages(recordStatusMessages)
  return (
    <div className={styles.group}>
      <div className={styles.head}>
        <h2 className={styles.name}>
          <Link to="/spaces/$spaceId" params={{ spaceId: space.id }}>
            {space.name}
          </Link>
        </h2>
        <span className={styles.place}>{[space.city, space.country].filter(Boolean).join(', ')}</span>
        {space.status !== 'active' && <span className={styles.status}>{statusText(space.status)}</span>}
        <span className={styles.zone} title={text('nightsIn', { zone: space.timezone })}>
          {space.timezone.replaceAll('_', ' ')}
        </span>
      </div>
      {rows.length === 0 && <p className={styles.none}>{text('noUnits')}</p>}
    </div>
  )
}
