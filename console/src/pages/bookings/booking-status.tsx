import type { contract } from '@vacancy/client'

import { Badge } from '../../components/badge.tsx'
import type { Tone } from '../../components/badge.tsx'
import { Arrow, Bed, Check, Clock, Cross, Warning } from '../../components/icons.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { bookingMessages } from './booking-messages.ts'

type Status = contract.Booking['status']

const looks: Record<Status, { tone: Tone; icon: typeof Check }> = {
  pending: { tone: 'wait', icon: Clock },
  confirmed: { tone: 'ok', icon: Check },
  checked_in: { tone: 'busy', icon: Bed },
  checked_out: { tone: 'still', icon: Arrow },
  cancelled: { tone: 'still', icon: Cross },
  declined: { tone: 'still', icon: Cross },
  expired: { tone: 'still', icon: Clock },
  no_show: { tone: 'bad', icon: Warning },
}

export const BookingStatus = ({ status }: { status: Status }) => {
  const text = useMessages(bookingMessages)
  return <Badge {...looks[status]}>{text(status)}</Badge>
}
