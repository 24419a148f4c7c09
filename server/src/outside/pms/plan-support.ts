/** Which providers have rate plans, and which hold terms of the room itself, by the name of the provider. */
export const planSupport = {
  sandbox: { hasPlans: true, roomHasTerms: true },
  channex: { hasPlans: true, roomHasTerms: false },
  hostaway: { hasPlans: false, roomHasTerms: true },
} as const
