/** What the PMS of the sandbox refuses to know, so that a sync fails until the listing gets another name there. */
export const refusedListing = { property: 'first-1', external_id: 'RT-1005' }
