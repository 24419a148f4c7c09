import { setTimeout as sleep } from 'node:timers/promises'
import type { Scope } from '#db/scope.ts'
import { findIntent, type StoredIntent } from './queries.ts'

const timeoutMs = 2_000
const maxDelayMs = 100

/** Polls until `isReady` or for two seconds: the response then usually includes the result of the provider. */
export async function awaitProvider(
  scope: Scope,
  id: string,
  isReady: (intent: StoredIntent) => boolean,
): Promise<StoredIntent> {
  const deadline = performance.now() + timeoutMs
  for (let delayMs = 20; ; delayMs = Math.min(delayMs * 1.5, maxDelayMs)) {
    const intent = await findIntent(scope, id)
    if (isReady(intent) || performance.now() >= deadline) return intent
    await sleep(delayMs)
  }
}

/** Whether the payment exists at the provider, or was cancelled before it did. */
export const isOpenedOrCanceled = ({ status, provider_reference }: StoredIntent) =>
  provider_reference !== null || status === 'canceled'

export const hasNoRequest = ({ requested }: StoredIntent) => requested === null
