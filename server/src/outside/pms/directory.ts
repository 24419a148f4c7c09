import { withoutLastSlashes } from '#addresses.ts'
import type { Egress } from '#egress.ts'
import { channexProvider } from './channex/channex-provider.ts'
import { hostawayProvider } from './hostaway/hostaway-provider.ts'
import type { PmsDirectory, Provider } from './pms.ts'
import { PmsFailure } from './pms-failure.ts'
import { sandboxProvider } from './sandbox/sandbox-provider.ts'

/** The providers that a target can name. */
export function pmsDirectory({
  egress,
  sandboxUrl,
  photosAt,
}: {
  egress: Egress
  sandboxUrl: string | null
  photosAt?: string
}): PmsDirectory {
  const known = [sandboxProvider(egress, sandboxUrl), channexProvider(egress), hostawayProvider(egress)]
  const providers = new Map<string, Provider>(
    known.map((provider) => [provider.name, { ...provider, ...(photosAt && { photosAt }) }]),
  )
  return {
    provider(name) {
      const provider = providers.get(name)
      if (provider) return provider
      throw new PmsFailure('internal', `There is no provider called ${name}.`, {
        hint: 'Choose a provider that this version knows.',
      })
    },
    async reachable() {
      if (!sandboxUrl) return null
      return await fetch(`${withoutLastSlashes(sandboxUrl)}/health`, {
        signal: AbortSignal.timeout(2_000),
      }).then(
        (answer) => answer.ok,
        () => false,
      )
    },
  }
}
