import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  RouterProvider,
} from '@tanstack/react-router'

import { Missing } from './parts/missing.tsx'
import { Frame } from './frame.tsx'
import { Portfolio } from './pages/portfolio/portfolio.tsx'
import { readFilter } from './pages/portfolio/filter.ts'
import { SignIn } from './pages/session/sign-in.tsx'
import { useSession } from './session.tsx'

const root = createRootRoute({ component: Frame, notFoundComponent: Missing })

const portfolio = createRoute({
  id: 'portfolio',
  getParentRoute: () => root,
  validateSearch: readFilter,
  component: Portfolio,
})

const home = createRoute({ path: '/', getParentRoute: () => portfolio })

const listing = createRoute({
  path: '/listings/$listingId',
  getParentRoute: () => portfolio,
  component: lazyRouteComponent(() => import('./pages/listings/listing.tsx'), 'ListingDrawer'),
})

const router = createRouter({
  routeTree: root.addChildren([portfolio.addChildren([home, listing])]),
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/** The map: every page and its path. */
export const App = () => (useSession().signedIn ? <RouterProvider router={router} /> : <SignIn />)
