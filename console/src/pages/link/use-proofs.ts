import { useEffect, useRef, useState } from 'react'
import { getSyncProof } from '@vacancy/client'
import type { ChannelListing } from '@vacancy/client'

import { useFailureText } from '../../i18n/failure-text.ts'
import { useApi } from '../../session/api.tsx'
import type { Proof } from './closures.ts'
import { forEachAtOnce } from './for-each.ts'

type Proofs = Readonly<Record<string, Proof>>

/** What the PMS shows of each listing beside what is wanted, each read once and a few at a time. */
export const useProofs = (listings: readonly ChannelListing[]) => {
  const api = useApi()
  const describe = useFailureText()
  const [proofs, setProofs] = useState<Proofs>({})
  const [attempt, setAttempt] = useState(0)
  const known = useRef(proofs)
  const save = (next: Proofs) => {
    known.current = next
    setProofs(next)
  }
  const ids = listings.map(({ id }) => id).join(' ')
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    const unread = ids.split(' ').filter((id) => id && !known.current[id])
    void forEachAtOnce(unread, async (listingId) => {
      if (signal.aborted) return
      const proof = await api
        .send(getSyncProof, { path: { listingId }, signal })
        .then((reply) => reply.proof)
        .catch((failure: unknown) => emptyProof(listingId, describe(failure)))
      if (!signal.aborted) save({ ...known.current, [listingId]: proof })
    })
    return () => ended.abort()
  }, [api, ids, attempt])

  /** Reads again what could not be read. */
  const retry = () => {
    save(Object.fromEntries(Object.entries(known.current).filter(([, proof]) => !proof.error_message)))
    setAttempt(attempt + 1)
  }
  return { proofs, retry }
}

const emptyProof = (channel_listing_id: string, error_message: string): Proof => ({
  channel_listing_id,
  in_sync: false,
  checked_at: null,
  age_seconds: null,
  desired: [],
  accepted: [],
  read_back: [],
  differences: [],
  error_message,
})
