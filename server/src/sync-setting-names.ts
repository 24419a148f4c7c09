import type { Setting } from './settings.ts'

/** How soon, and how often, the PMS is read back. */
export const syncSettings = [
  {
    name: 'SYNC_SAMPLE_SHARE',
    summary: 'Share of pushes that are read back half a minute later, 0 to 1.',
    fallback: '0.05',
  },
  {
    name: 'SYNC_VERIFY_AFTER_MS',
    summary: 'How long after a push the PMS is read back, in milliseconds.',
    fallback: '2000',
  },
  {
    name: 'SYNC_READ_BACK_MINUTES',
    summary: 'How often each listing is read back while nothing is pushed, in minutes.',
    fallback: '15',
  },
] as const satisfies readonly Setting[]
