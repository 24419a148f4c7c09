import { useQuery } from '@tanstack/react-query'
import { getQuote } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { Section } from '../../components/section.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import { detailMessages } from './booking-detail-messages.ts'
import { PriceLines } from './price-lines.tsx'
import styles from './booking.module.css'

/** The price of the booking: with the lines of its quote, as long as it still has the price of the quote. */
export const PriceSection = ({ booking }: { booking: contract.Booking }) => {
  const text = useMessages(detailMessages)
  const api = useApi()
  const { quoteId, totalCents, currency } = booking
  const { data: quote } = useQuery({
    queryKey: [getQuote.path, quoteId],
    queryFn: async ({ signal }) => (await api.send(getQuote, { path: { id: quoteId ?? '' }, signal })).quote,
    enabled: quoteId !== null,
    staleTime: Infinity,
  })
  const lines = quote?.total_cents === totalCents ? quote.line_items : []
  return (
    <Section title={text('price')}>
      <PriceLines line_items={lines} total_cents={totalCents} currency={currency} />
      {lines.length === 0 && quoteId === null && <p className={styles.hint}>{text('noLines')}</p>}
    </Section>
  )
}
