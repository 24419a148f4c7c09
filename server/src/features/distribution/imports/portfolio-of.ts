import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import type { PmsConnection } from '#integrations/pms/pms.ts'
import type { PmsPortfolio } from '#integrations/pms/pms-portfolio.ts'

/** @throws PmsFailure when the provider cannot import */
export function portfolioOf({ portfolio }: PmsConnection): PmsPortfolio {
  if (portfolio) return portfolio
  throw new PmsFailure('validation_rejected', 'This PMS has no portfolio that can be imported.', {
    hint: 'Import from Channex or Hostaway, or create the units through the API.',
  })
}
