import { trimTrailingSlashes } from '#schema/fields.ts'
import type { Egress } from '#egress/egress.ts'
import { channexProvider } from './channex/channex-provider.ts'
import { hostawayProvider } from './hostaway/hostaway-provider.ts'
import type { PmsDirectory, Provider, ProviderName } from './pms-provider.ts'
import { PmsFailure } from './pms-failure.ts'
import { genericProvider } from './generic/generic-provider.ts'

/** The providers that a target can name. */
export function pmsDirectory({
  egress,
  defaultUrl,
  photoBaseUrl,
}: {
  egress: Egress
  defaultUrl: string | null
  photoBaseUrl?: string
}): PmsDirectory {
  const known: Record<ProviderName, Provider> = {
    generic: genericProvider(egress, defaultUrl),
    channex: channexProvider(egress),
    hostaway: hostawayProvider(egress),
  }
  const providers = new Map<string, Provider>(
    Object.values(known).map((provider) => [
      provider.name,
      { ...provider, ...(photoBaseUrl && { photoBaseUrl }) },
    ]),
  )
  return {
    getProvider(name) {
      const provider = providers.get(name)
      if (provider) return provider
      throw new PmsFailure('internal', `There is no provider called ${name}.`, {
        hint: 'Choose a provider that this version knows.',
      })
    },
    async isReachable() {
      if (!defaultUrl) return null
      return await fetch(`${trimTrailingSlashes(defaultUrl)}/health`, {
        signal: AbortSignal.timeout(2_000),
      }).then(
        (answer) => answer.ok,
        () => false,
      )
    },
  }
}
