import { Badge } from '../../components/badge.tsx'
import type { Tone } from '../../components/badge.tsx'
import { Arrows, Check, Clock, Cross, Warning } from '../../components/icons.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { importMessages } from './messages.ts'
import type { Import } from './use-import.ts'

const looks: Record<Import['status'], { tone: Tone; icon: typeof Check }> = {
  planning: { tone: 'busy', icon: Arrows },
  planned: { tone: 'wait', icon: Clock },
  running: { tone: 'busy', icon: Arrows },
  completed: { tone: 'ok', icon: Check },
  failed: { tone: 'bad', icon: Warning },
  cancelled: { tone: 'still', icon: Cross },
}

export const ImportState = ({ status }: { status: Import['status'] }) => {
  const text = useMessages(importMessages)
  return <Badge {...looks[status]}>{text(status)}</Badge>
}
