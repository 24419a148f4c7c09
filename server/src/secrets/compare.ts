import { hash, timingSafeEqual } from 'node:crypto'

/** Compares digests, which have the same length, so that the time it takes tells nothing about the secret. */
export const areSecretsEqual = (one: string, other: string): boolean =>
  timingSafeEqual(digest(one), digest(other))

const digest = (text: string) => hash('sha256', text, 'buffer')
