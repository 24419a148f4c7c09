import { createRootRoute } from '@tanstack/react-router'

import { Shell } from './shell/shell.tsx'

/** What surrounds every screen. */
export const root = createRootRoute({ component: Shell })
