import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { SecretKey } from './settings.ts'

/**
 * Seals values that must be kept but never shown, with AES-256-GCM. `place` (organization, record, field) is
 * authenticated with it: a sealed value copied to another row does not open. The first key seals; every key
 * opens, so that keys rotate without a pause.
 */
export interface Vault {
  seal(value: unknown, place: string): Buffer
  /** @throws when the value was sealed elsewhere, by an unknown key, or was altered. */
  open<T>(sealed: Buffer, place: string): T
}

const ivBytes = 12
const tagBytes = 16

export function openVault(keys: readonly SecretKey[]): Vault {
  return {
    seal(value, place) {
      const [{ id, bytes }] = keys as [SecretKey]
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', bytes, iv).setAAD(Buffer.from(`${id} ${place}`))
      const text = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()])
      return Buffer.concat([Buffer.from([id.length]), Buffer.from(id), iv, cipher.getAuthTag(), text])
    },
    open<T>(sealed: Buffer, place: string) {
      const id = sealingKeyOf(sealed)
      const key = keys.find((one) => one.id === id)
      if (!key) throw new Error(`The key ${id} that sealed this value is not configured.`)
      const body = sealed.subarray(1 + sealed[0]!)
      const decipher = createDecipheriv('aes-256-gcm', key.bytes, body.subarray(0, ivBytes))
        .setAAD(Buffer.from(`${id} ${place}`))
        .setAuthTag(body.subarray(ivBytes, ivBytes + tagBytes))
      const text = Buffer.concat([decipher.update(body.subarray(ivBytes + tagBytes)), decipher.final()])
      return JSON.parse(text.toString()) as T
    },
  }
}

/** The id of the key that sealed this. */
export const sealingKeyOf = (sealed: Buffer): string => sealed.subarray(1, 1 + sealed[0]!).toString()

/** What a client sees instead of a secret; sending it back keeps the secret. */
export const mask = '********'
