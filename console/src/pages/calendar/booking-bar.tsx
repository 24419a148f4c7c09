import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import type { Bar } from './bars.ts'
import { useChannels } from './channels.tsx'
import { calendarMessages } from './messages.ts'
import { dateOf } from './nights.ts'
import styles from './booking-bar.module.css'

interface BookingBarProps {
  bar: Bar
  box: { left: number; top: number; width: number; height: number }
  isOpen: boolean
}

const signs: Partial<Record<Bar['kind'], string>> = {
  checked_in: '●',
  hold: '◷',
  conflict: '!',
  pending: '?',
}

/** Below this width a bar has room for some letters of the name only. */
const minCodeWidth = 84

/** One stay. Its look, a sign and its words say what it is; its letters say which channel it came from. */
export const BookingBar = ({ bar, box, isOpen }: BookingBarProps) => {
  const text = useMessages(calendarMessages)
  const format = useFormat()
  const channel = useChannels().get(bar.channelTargetId ?? '')
  const guest = bar.guestName || text('anonymous')
  const stay = text('bookingOf', {
    guest,
    from: format.shortDate(dateOf(bar.from)),
    to: format.shortDate(dateOf(bar.to)),
  })
  const label = [stay, text(bar.kind), channel?.name, bar.rooms > 1 && text('rooms', { rooms: bar.rooms })]
    .filter(Boolean)
    .join(', ')
  const sign = signs[bar.kind]
  return (
    <button
      type="button"
      role="gridcell"
      tabIndex={-1}
      className={styles.bar}
      style={box}
      data-bar={bar.id}
      data-kind={bar.kind}
      data-code={(box.width >= minCodeWidth && channel?.code) || undefined}
      data-open={isOpen || undefined}
      data-name={[sign, guest, bar.rooms > 1 && `×${bar.rooms}`].filter(Boolean).join(' ')}
      aria-label={label}
      title={label}
    />
  )
}
