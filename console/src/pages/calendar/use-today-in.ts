import { useSyncExternalStore } from 'react'

import { subscribeToTicks } from '../../components/relative-time.tsx'
import { todayIn } from './nights.ts'

/** Today where the property is: another day begins while the screen is open. */
export const useTodayIn = (timeZone: string | undefined): number =>
  useSyncExternalStore(subscribeToTicks, () => todayIn(timeZone))
