import { listPaymentIntents, listRefunds } from '@vacancy/client'

import { ExportButton } from '../../components/export-button.tsx'
import { saveFile } from '../../components/save-file.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import type { LedgerFilter } from './filter.ts'
import { ledgerMessages } from './ledger-messages.ts'

const common = ['id', 'created_at', 'status', 'currency', 'failure_code', 'amount'] as const
const paymentColumns = [...common, 'amount_received', 'amount_refunded', 'booking_id'] as const
const refundColumns = [...common, 'reason', 'payment_intent_id'] as const

/** What is listed as a file. */
export const ExportPayments = ({ filter: { view, status, refund } }: { filter: LedgerFilter }) => {
  const text = useMessages(ledgerMessages)
  const api = useApi()
  const save = () =>
    view
      ? saveCsv(view, refundColumns, api.listAll(listRefunds, refund && { query: { status: refund } }))
      : saveCsv('payments', paymentColumns, api.listAll(listPaymentIntents, status && { query: { status } }))
  return <ExportButton label={text('exportCsv')} permission="payments:read" onExport={save} />
}

/** The cells are ids, times, codes and numbers, so that none needs quotes. */
const saveCsv = async <Name extends string>(
  name: string,
  columns: readonly Name[],
  records: AsyncIterable<Record<Name, string | number | null>>,
) => {
  // Named as in the file of the bookings: 10000 under `amount` is read as ten thousand.
  const lines = [columns.map((column) => column.replace(/^amount.*/, '$&_cents')).join(',')]
  for await (const record of records) lines.push(columns.map((column) => record[column] ?? '').join(','))
  saveFile(new Blob([`${lines.join('\r\n')}\r\n`], { type: 'text/csv' }), `${name}.csv`)
}
