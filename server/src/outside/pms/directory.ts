import type { PmsDirectory } from './pms.ts'
import { PmsFailure } from './pms.ts'
import { sandboxPms } from './sandbox/sandbox-pms.ts'

/** Opens the provider that a target names. */
export function pmsDirectory(options: { sandboxUrl: string | null; timeoutMs: number }): PmsDirectory {
  return {
    connect(target) {
      const timeoutMs = target.timeoutMs ?? options.timeoutMs
      const baseUrl = target.baseUrl ?? options.sandboxUrl
      if (target.provider !== 'sandbox')
        throw new PmsFailure('internal', `There is no provider called ${target.provider}.`, {
          hint: 'Choose a provider that this version knows.',
        })
      if (!baseUrl)
        throw new PmsFailure('validation_rejected', 'The channel target names no address of its PMS.', {
          hint: 'Set base_url in the configuration of the channel target.',
        })
      return sandboxPms({ ...target, baseUrl, timeoutMs })
    },
    async reachable() {
      if (!options.sandboxUrl) return null
      return await fetch(`${options.sandboxUrl.replace(/\/+$/, '')}/health`, {
        signal: AbortSignal.timeout(2_000),
      }).then(
        (answer) => answer.ok,
        () => false,
      )
    },
  }
}
