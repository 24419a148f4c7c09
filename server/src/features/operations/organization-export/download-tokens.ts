import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** The time in which a download may begin. */
const validMs = 300_000
const signatureBytes = 32

interface DownloadedExport {
  readonly orgId: string
  readonly exportId: string
}

export type DownloadTokens = ReturnType<typeof openDownloadTokens>

/**
 * Tokens in the addresses of downloads: which export, until when, and a signature. They are not stored.
 *
 * @param keys the secret keys of the service, the current one first
 */
export function openDownloadTokens(keys: readonly { readonly bytes: Uint8Array }[]) {
  const derived = keys.map(({ bytes }) => Buffer.from(hkdfSync('sha256', bytes, '', 'export download', 32)))
  const sign = (payload: Buffer, key: Buffer) => createHmac('sha256', key).update(payload).digest()
  return {
    issue({ orgId, exportId }: DownloadedExport): { token: string; expires_at: string } {
      const untilMs = Date.now() + validMs
      const payload = Buffer.from(JSON.stringify([orgId, exportId, untilMs]))
      const token = Buffer.concat([sign(payload, derived[0]!), payload]).toString('base64url')
      return { token, expires_at: new Date(untilMs).toISOString() }
    },
    read(token: string): DownloadedExport | null {
      const bytes = Buffer.from(token, 'base64url')
      const [signature, payload] = [bytes.subarray(0, signatureBytes), bytes.subarray(signatureBytes)]
      if (signature.length < signatureBytes) return null
      if (!derived.some((key) => timingSafeEqual(signature, sign(payload, key)))) return null
      const [orgId, exportId, untilMs] = JSON.parse(payload.toString()) as [string, string, number]
      return untilMs > Date.now() ? { orgId, exportId } : null
    },
  }
}
