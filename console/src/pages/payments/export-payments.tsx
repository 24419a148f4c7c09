import { listPaymentIntents } from '@vacancy/client'

import { ExportButton } from '../../components/export-button.tsx'
import { saveFile } from '../../components/save-file.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import { ledgerMessages } from './ledger-messages.ts'

const columns = [
  'id',
  'booking_id',
  'created_at',
  'status',
  'amount',
  'amount_received',
  'amount_refunded',
  'currency',
  'failure_code',
] as const

/** All payments as a file. Its cells are ids, times, codes and numbers, so that none needs quotes. */
export const ExportPayments = () => {
  const text = useMessages(ledgerMessages)
  const api = useApi()
  const save = async () => {
    const lines = [columns.join(',')]
    for await (const payment of api.listAll(listPaymentIntents))
      lines.push(columns.map((column) => payment[column] ?? '').join(','))
    saveFile(new Blob([`${lines.join('\r\n')}\r\n`], { type: 'text/csv' }), 'payments.csv')
  }
  return <ExportButton label={text('exportCsv')} permission="payments:read" onExport={save} />
}
