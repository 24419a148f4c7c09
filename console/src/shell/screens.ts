import type { ComponentType } from 'react'

import {
  Book,
  Calendar,
  Chart,
  Coins,
  Gear,
  Grid,
  Hand,
  Home,
  Inbox,
  Plug,
  Scroll,
} from '../components/icons.tsx'
import type { Permission } from '../session/api.tsx'
import type { shellMessages } from './shell-messages.ts'

export interface Screen {
  to:
    | '/'
    | '/calendar'
    | '/bookings'
    | '/inbox'
    | '/units'
    | '/channels'
    | '/stop-sell'
    | '/payments'
    | '/analytics'
    | '/audit'
    | '/settings'
  label: keyof (typeof shellMessages)['en']
  icon: ComponentType
  /** Hidden from people whose role lacks it. */
  permission: Permission
  /** Shows how many things wait for a person. */
  hasCount?: true
}

/** What the navigation links to, in its order; a screen is added here when it exists. */
export const screens: readonly Screen[] = [
  { to: '/', label: 'today', icon: Home, permission: 'bookings:read' },
  { to: '/calendar', label: 'calendar', icon: Calendar, permission: 'units:read' },
  { to: '/bookings', label: 'bookings', icon: Book, permission: 'bookings:read' },
  { to: '/inbox', label: 'inbox', icon: Inbox, permission: 'bookings:read', hasCount: true },
  { to: '/units', label: 'units', icon: Grid, permission: 'units:read' },
  { to: '/channels', label: 'channels', icon: Plug, permission: 'channel_targets:read' },
  { to: '/stop-sell', label: 'stopSell', icon: Hand, permission: 'sync:read' },
  { to: '/payments', label: 'payments', icon: Coins, permission: 'payments:read' },
  { to: '/analytics', label: 'analytics', icon: Chart, permission: 'analytics:read' },
  { to: '/audit', label: 'audit', icon: Scroll, permission: 'audit:read' },
  { to: '/settings', label: 'settings', icon: Gear, permission: 'organizations:read' },
]
