import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { SecretKey } from '#config/secrets.ts'

/**
 * Encrypts stored secrets with AES-256-GCM. `place` (organization, record, field) is authenticated with the value: a sealed
 * value that is copied to another row does not open. The first key seals and all keys open, so that keys can be rotated
 * without downtime.
 */
export interface Vault {
  seal(value: unknown, place: string): Buffer
  /** @throws when the value was sealed for another place, with an unknown key, or was altered. */
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
      const id = sealingKeyId(sealed)
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

/** The id of the key that sealed a value. */
export const sealingKeyId = (sealed: Buffer): string => sealed.subarray(1, 1 + sealed[0]!).toString()

/** Shown to clients instead of a secret; a client that sends it back keeps the stored secret. */
export const mask = '********'
