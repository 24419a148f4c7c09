import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'

import { oneOf, readSearch } from '../../components/read-search.ts'
import { root } from '../../root-route.ts'

const settings = createRoute({
  path: '/settings',
  getParentRoute: () => root,
  component: lazyRouteComponent(() => import('./settings.tsx'), 'Settings'),
})

const settingsHome = createRoute({
  path: '/',
  getParentRoute: () => settings,
  beforeLoad: () => {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- the router's way to lead elsewhere
    throw redirect({ to: '/settings/organization', replace: true })
  },
})

const organization = createRoute({
  path: '/organization',
  getParentRoute: () => settings,
  component: lazyRouteComponent(() => import('./organization.tsx'), 'Organization'),
})

const members = createRoute({
  path: '/members',
  getParentRoute: () => settings,
  component: lazyRouteComponent(() => import('./members.tsx'), 'Members'),
})

const notifications = createRoute({
  path: '/notifications',
  getParentRoute: () => settings,
  component: lazyRouteComponent(() => import('./notifications.tsx'), 'Notifications'),
})

const webhooks = createRoute({
  path: '/webhooks',
  getParentRoute: () => settings,
  component: lazyRouteComponent(() => import('./webhooks.tsx'), 'Webhooks'),
})

const webhook = createRoute({
  path: '/webhooks/$endpointId',
  getParentRoute: () => settings,
  validateSearch: readSearch({ status: oneOf(['pending', 'delivered', 'failed'] as const) }),
  component: lazyRouteComponent(() => import('./webhook.tsx'), 'Webhook'),
})

const pmsInbox = createRoute({
  path: '/inbox',
  getParentRoute: () => settings,
  validateSearch: readSearch({
    status: oneOf(['received', 'processed', 'ignored', 'failed'] as const),
  }),
  component: lazyRouteComponent(() => import('./pms-inbox.tsx'), 'PmsInbox'),
})

const exports = createRoute({
  path: '/exports',
  getParentRoute: () => settings,
  component: lazyRouteComponent(() => import('./exports.tsx'), 'Exports'),
})

const guestData = createRoute({
  path: '/guest-data',
  getParentRoute: () => settings,
  component: lazyRouteComponent(() => import('./guest-data.tsx'), 'GuestData'),
})

const limits = createRoute({
  path: '/limits',
  getParentRoute: () => settings,
  component: lazyRouteComponent(() => import('./limits.tsx'), 'Limits'),
})

const developers = createRoute({
  path: '/developers',
  getParentRoute: () => settings,
  component: lazyRouteComponent(() => import('./developers.tsx'), 'Developers'),
})

export const settingsRoutes = settings.addChildren([
  settingsHome,
  organization,
  members,
  notifications,
  webhooks,
  webhook,
  pmsInbox,
  exports,
  guestData,
  limits,
  developers,
])
