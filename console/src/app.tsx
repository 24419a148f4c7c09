import { createRoute, createRouter, lazyRouteComponent, RouterProvider } from '@tanstack/react-router'
import type { AnyRoute } from '@tanstack/react-router'

import { readAuditFilter } from './pages/audit/filter.ts'
import { readBookingsFilter } from './pages/bookings/filter.ts'
import { readNewBooking } from './pages/bookings/new-booking-search.ts'
import { date, flag, oneOf, readSearch, text } from './components/read-search.ts'
import { readCalendarFilter } from './pages/calendar/filter.ts'
import { readItemFilter } from './pages/import/item-filter.ts'
import { readInboxFilter } from './pages/inbox/filter.ts'
import { readAnalyticsSearch } from './pages/analytics/period.ts'
import { readLedgerFilter } from './pages/payments/filter.ts'
import { readFilter } from './pages/portfolio/filter.ts'
import { readStopFilter } from './pages/stop-sell/filter.ts'
import { settingsRoutes } from './pages/settings/routes.ts'
import { root } from './root-route.ts'
import { useSession } from './session/session.tsx'
import { SignIn } from './session/sign-in.tsx'
import { ErrorPage } from './shell/error-page.tsx'
import { NotFound } from './shell/not-found.tsx'

const today = createRoute({
  path: '/',
  getParentRoute: () => root,
  component: lazyRouteComponent(() => import('./pages/today/today.tsx'), 'TodayPage'),
})

const start = createRoute({
  path: '/start',
  getParentRoute: () => root,
  component: lazyRouteComponent(() => import('./pages/start/start.tsx'), 'Start'),
})

const units = createRoute({
  path: '/units',
  getParentRoute: () => root,
  validateSearch: readFilter,
  component: lazyRouteComponent(() => import('./pages/portfolio/portfolio.tsx'), 'Portfolio'),
})

const listing = createRoute({
  path: '/listings/$listingId',
  getParentRoute: () => units,
  component: lazyRouteComponent(() => import('./pages/listings/listing.tsx'), 'ListingDrawer'),
})

const newUnit = createRoute({
  path: '/units/new',
  getParentRoute: () => root,
  validateSearch: readSearch({ space: text }),
  component: lazyRouteComponent(() => import('./pages/units/new-unit.tsx'), 'NewUnit'),
})

const unit = createRoute({
  path: '/units/$unitId',
  getParentRoute: () => root,
  component: lazyRouteComponent(() => import('./pages/units/unit.tsx'), 'UnitPage'),
})

const newSpace = createRoute({
  path: '/spaces/new',
  getParentRoute: () => root,
  component: lazyRouteComponent(() => import('./pages/spaces/new-space.tsx'), 'NewSpace'),
})

const space = createRoute({
  path: '/spaces/$spaceId',
  getParentRoute: () => root,
  component: lazyRouteComponent(() => import('./pages/spaces/space.tsx'), 'SpacePage'),
})

const calendar = createRoute({
  path: '/calendar',
  getParentRoute: () => root,
  validateSearch: readCalendarFilter,
  component: lazyRouteComponent(() => import('./pages/calendar/calendar.tsx'), 'Calendar'),
})

const inbox = createRoute({
  path: '/inbox',
  getParentRoute: () => root,
  validateSearch: readInboxFilter,
  component: lazyRouteComponent(() => import('./pages/inbox/inbox.tsx'), 'Inbox'),
})

const bookings = createRoute({
  path: '/bookings',
  getParentRoute: () => root,
  validateSearch: readBookingsFilter,
  component: lazyRouteComponent(() => import('./pages/bookings/bookings.tsx'), 'Bookings'),
})

const newBooking = createRoute({
  path: '/bookings/new',
  getParentRoute: () => root,
  validateSearch: readNewBooking,
  component: lazyRouteComponent(() => import('./pages/bookings/new-booking.tsx'), 'NewBooking'),
})

const booking = createRoute({
  path: '/bookings/$bookingId',
  getParentRoute: () => root,
  component: lazyRouteComponent(() => import('./pages/bookings/booking.tsx'), 'BookingPage'),
})

const channels = createRoute({
  path: '/channels',
  getParentRoute: () => root,
  validateSearch: readSearch({ q: text }),
  component: lazyRouteComponent(() => import('./pages/channels/channels.tsx'), 'Channels'),
})

const connectChannel = createRoute({
  path: '/channels/new',
  getParentRoute: () => root,
  validateSearch: readSearch({ then: oneOf<'import'>(['import']) }),
  component: lazyRouteComponent(() => import('./pages/channels/connect.tsx'), 'Connect'),
})

const channel = createRoute({
  path: '/channels/$channelId',
  getParentRoute: () => root,
  component: lazyRouteComponent(() => import('./pages/channels/channel.tsx'), 'Channel'),
})

const linkChannel = createRoute({
  path: '/channels/$channelId/link',
  getParentRoute: () => root,
  validateSearch: readSearch({ step: oneOf<'match' | 'check' | 'live'>(['match', 'check', 'live']) }),
  component: lazyRouteComponent(() => import('./pages/link/link.tsx'), 'LinkWizard'),
})

const importStart = createRoute({
  path: '/import',
  getParentRoute: () => root,
  validateSearch: readSearch({ channel: text, from: oneOf<'file'>(['file']) }),
  component: lazyRouteComponent(() => import('./pages/import/import-start.tsx'), 'ImportStart'),
})

const fileImportPage = createRoute({
  path: '/import/file/$importId',
  getParentRoute: () => root,
  component: lazyRouteComponent(() => import('./pages/import-file/file-import-page.tsx'), 'FileImportPage'),
})

const importPage = createRoute({
  path: '/import/$importId',
  getParentRoute: () => root,
  validateSearch: readItemFilter,
  component: lazyRouteComponent(() => import('./pages/import/import-page.tsx'), 'ImportPage'),
})

const listingPage = createRoute({
  path: '/listings/$listingId',
  getParentRoute: () => root,
  validateSearch: readSearch({ from: date, plan: text, differing: flag }),
  component: lazyRouteComponent(() => import('./pages/listings/listing-page.tsx'), 'ListingPage'),
})

const payments = createRoute({
  path: '/payments',
  getParentRoute: () => root,
  validateSearch: readLedgerFilter,
  component: lazyRouteComponent(() => import('./pages/payments/payments.tsx'), 'Payments'),
})

const stopSell = createRoute({
  path: '/stop-sell',
  getParentRoute: () => root,
  validateSearch: readStopFilter,
  component: lazyRouteComponent(() => import('./pages/stop-sell/stop-sell.tsx'), 'StopSell'),
})

const analytics = createRoute({
  path: '/analytics',
  getParentRoute: () => root,
  validateSearch: readAnalyticsSearch,
  component: lazyRouteComponent(() => import('./pages/analytics/analytics.tsx'), 'AnalyticsPage'),
})

const audit = createRoute({
  path: '/audit',
  getParentRoute: () => root,
  validateSearch: readAuditFilter,
  component: lazyRouteComponent(() => import('./pages/audit/audit.tsx'), 'Audit'),
})

const router = createRouter({
  routeTree: root.addChildren([
    today,
    start,
    units.addChildren([listing]),
    newUnit,
    unit,
    newSpace,
    space,
    calendar,
    bookings,
    newBooking,
    booking,
    payments,
    stopSell,
    analytics,
    audit,
    inbox,
    channels,
    connectChannel,
    channel,
    linkChannel,
    importStart,
    importPage,
    fileImportPage,
    listingPage,
    settingsRoutes,
  ]),
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFound,
  defaultPreload: 'intent',
  // Otherwise a screen gets the values that its `validateSearch` left out as well.
  search: { strict: true },
  scrollRestoration: true,
  // What is open, typed or under way on the page of one record is not that of the next one.
  defaultRemountDeps: ({ params }) => params,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/** Loads the screen of the address while the session is opened. */
export const preloadScreen = () => {
  const routes: Record<string, AnyRoute> = router.routesById
  for (const { routeId } of router.matchRoutes(router.latestLocation))
    void router.loadRouteChunk(routes[routeId as string] as AnyRoute)
}

/** All routes; each screen is loaded when its address is opened. */
export const App = () => (useSession().signedIn ? <RouterProvider router={router} /> : <SignIn />)
