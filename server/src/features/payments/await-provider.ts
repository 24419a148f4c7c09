import { setTimeout as sleep } from 'node:timers/promises'
import type { Scope } from '#db/scope.ts'
import { findIntent, type StoredIntent } from './queries.ts'

const patienceMs = 2_000
const longestPauseMs = 100

/** The payment once `isThere`, or as it is after two seconds: a provider that is quick is heard in the same answer. */
export async function awaitProvider(
  scope: Scope,
  id: string,
  isThere: (intent: StoredIntent) => boolean,
): Promise<StoredIntent> {
  const until = Date.now() + patienceMs
  for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const intent = await findIntent(scope, id)
    if (isThere(intent) || Date.now() >= until) return intent
    await sleep(pauseMs)
  }
}

/** Its secret is there, or it will never be. */
export const isOpened = ({ status, provider_reference }: StoredIntent) =>
  provider_reference !== null || status === 'canceled'

export const isDone = ({ requested }: StoredIntent) => requested === null
