import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { oneOf } from '#schema/fields.ts'

/** The one error that is no problem document: its format is given by the interface. */
export const TooManyRequests = Type.Object(
  {
    error: oneOf('Too Many Requests'),
    retryAfter: Type.Integer({
      minimum: 1,
      maximum: 3_600,
      format: 'int32',
      description: 'Seconds to wait.',
    }),
  },
  { title: 'TooManyRequests' },
)

export function sendTooManyRequests(reply: FastifyReply, waitMs: number): FastifyReply {
  const retryAfter = Math.max(1, Math.ceil(waitMs / 1_000))
  return reply
    .code(429)
    .header('retry-after', String(retryAfter))
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ error: 'Too Many Requests', retryAfter }))
}
