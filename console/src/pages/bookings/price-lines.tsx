import type { contract } from '@vacancy/client'

import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { detailMessages } from './booking-detail-messages.ts'
import styles from './booking.module.css'

type Priced = Pick<contract.Quote, 'line_items' | 'total_cents' | 'currency'>

/** The lines of a price, each with how it was calculated. */
export const PriceLines = ({ line_items, total_cents, currency }: Priced) => {
  const text = useMessages(detailMessages)
  const format = useFormat()
  return (
    <dl className={styles.lines}>
      {line_items.map(({ type, name, explanation, included, amount_cents }, index) => (
        <div key={index} data-apart={type === 'deposit' || included}>
          <dt>
            {name}
            <span>{type === 'deposit' ? text('deposit') : explanation}</span>
          </dt>
          <dd>
            {format.money(amount_cents, currency)}
            {included && <span>{text('included')}</span>}
          </dd>
        </div>
      ))}
      <div className={styles.total}>
        <dt>{text('total')}</dt>
        <dd>{format.money(total_cents, currency)}</dd>
      </div>
    </dl>
  )
}
