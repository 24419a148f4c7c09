import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  RouterProvider,
} from '@tanstack/react-router'

import { readBookingsFilter } from './pages/bookings/filter.ts'
import { readNewBooking } from './pages/bookings/new-booking-search.ts'
import { readCalendarFilter } from './pages/calendar/filter.ts'
import { readInboxFilter } from './pages/inbox/filter.ts'
import { readFilter } from './pages/portfolio/filter.ts'
import { useSession } from './session/session.tsx'
import { SignIn } from './session/sign-in.tsx'
import { ErrorPage } from './shell/error-page.tsx'
import { NotFound } from './shell/not-found.tsx'
import { Shell } from './shell/shell.tsx'

const root = createRootRoute({ component: Shell })

const portfolio = createRoute({
  id: 'portfolio',
  getParentRoute: () => root,
  validateSearch: readFilter,
  component: lazyRouteComponent(() => import('./pages/portfolio/portfolio.tsx'), 'Portfolio'),
})

const home = createRoute({ path: '/', getParentRoute: () => portfolio })

const listing = createRoute({
  path: '/listings/$listingId',
  getParentRoute: () => portfolio,
  component: lazyRouteComponent(() => import('./pages/listings/listing.tsx'), 'ListingDrawer'),
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

const router = createRouter({
  routeTree: root.addChildren([
    portfolio.addChildren([home, listing]),
    calendar,
    bookings,
    newBooking,
    booking,
    inbox,
  ]),
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFound,
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/** All routes; each screen is loaded when its address is opened. */
export const App = () => (useSession().signedIn ? <RouterProvider router={router} /> : <SignIn />)
