import type { ComponentType } from 'react'

import { Calendar, Grid } from '../components/icons.tsx'
import type { shellMessages } from './shell-messages.ts'

interface Screen {
  to: '/' | '/calendar'
  label: keyof (typeof shellMessages)['en']
  icon: ComponentType
  /** Hidden from people whose role lacks it. */
  permission: string
}

/** What the navigation links to, in its order; a screen is added here when it exists. */
export const screens: readonly Screen[] = [
  { to: '/calendar', label: 'calendar', icon: Calendar, permission: 'units:read' },
  { to: '/', label: 'portfolio', icon: Grid, permission: 'units:read' },
]
