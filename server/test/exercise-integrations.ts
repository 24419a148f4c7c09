import assert from 'node:assert/strict'
import type { TestCaller } from './caller.ts'
import { findSecret } from './canaries.ts'
import type { ConnectedTarget, ExternalServices } from './connected-targets.ts'
import { expectStatus } from './expect.ts'
import { askFor } from './payments.ts'
import { addBooking } from './records.ts'
import { picture, upload } from './uploads.ts'
import { endpointsPath } from './webhook-receiver.ts'

/**
 * Uses all integrations so that they fail: a mail and a text message that are not sent, an upload that the bucket rejects,
 * payments and webhooks with wrong signatures, and a webhook receiver that returns the signature. Returns the new secrets.
 */
export async function exerciseIntegrations(
  owner: TestCaller,
  { echo }: ExternalServices,
  { unitId, targetId }: ConnectedTarget,
): Promise<string[]> {
  const url = `${echo.url}/401/hook`
  const created = await owner.post(
    endpointsPath,
    { url, event_types: ['*'] },
    { 'idempotency-key': 'endpoint' },
  )
  const { id } = expectStatus(created, 201).webhook_endpoint
  const rotated = await owner.send('POST', `${endpointsPath}/${id}/secret`, {})
  const kinds = { 'booking.confirmed': { email: true, sms: true } }
  expectStatus(await owner.put('/api/v1/notification-preferences', { phones: ['+15550123'], kinds }), 200)
  const booking = await addBooking(owner, { unitId, guestEmail: 'guest@guest.example' })
  await askFor(owner, booking, { amount: 1_000, currency: booking.currency })
  const { space_id } = expectStatus(await owner.get(`/api/v1/units/${unitId}`), 200).unit
  const sent = await upload(owner, space_id, await picture())
  assert.ok(sent.status >= 500, `the bucket accepted the upload: ${sent.status}`)
  const sendUnsigned = (path: string, headers: Record<string, string>) =>
    owner.send('POST', path, {
      body: '{"id":"evt_1","type":"ping"}',
      headers: { 'content-type': 'application/json', ...headers },
    })
  const replies = [
    await sendUnsigned('/webhooks/payments', { 'stripe-signature': 't=1,v1=00' }),
    await sendUnsigned(`/webhooks/pms/${targetId}`, {
      'webhook-id': '1',
      'webhook-timestamp': '1',
      'webhook-signature': 'v1,AA==',
    }),
    await sendUnsigned('/webhooks/pms', {}),
    await owner.get('/metrics'),
    sent,
  ]
  for (const { text } of replies) assert.equal(findSecret(text), null)
  const secrets = [created, rotated].map(({ text }) => /whsec_([\w+/]{16,})/.exec(text)?.[1])
  assert.ok(secrets.every(Boolean) && secrets[0] !== secrets[1], 'the endpoint has returned two secrets')
  return secrets as string[]
}
