import assert from 'node:assert/strict'
import type { TestCaller } from './caller.ts'
import { secretIn } from './canaries.ts'
import type { Connected, Outside } from './connected-everywhere.ts'
import { expectStatus } from './expect.ts'
import { askFor } from './payments.ts'
import { addBooking } from './records.ts'
import { picture, upload } from './uploads.ts'
import { endpointsPath } from './webhook-receiver.ts'

/**
 * A mail and a text that do not leave, a file that no bucket takes, payments and notices that nobody believes, and a
 * partner who repeats the signature. Answers with the secrets that this made.
 */
export async function useEverything(
  owner: TestCaller,
  { echo }: Outside,
  { unitId, targetId }: Connected,
): Promise<string[]> {
  const url = `${echo.url}/401/hook`
  const made = await owner.post(endpointsPath, { url, event_types: ['*'] }, { 'idempotency-key': 'endpoint' })
  const { id } = expectStatus(made, 201).webhook_endpoint
  const turned = await owner.send('POST', `${endpointsPath}/${id}/secret`, {})
  const kinds = { 'booking.confirmed': { email: true, sms: true } }
  expectStatus(await owner.put('/api/v1/notification-preferences', { phones: ['+15550123'], kinds }), 200)
  const booking = await addBooking(owner, { unitId, guestEmail: 'guest@guest.example' })
  await askFor(owner, booking, { amount: 1_000, currency: booking.currency })
  const { space_id } = expectStatus(await owner.get(`/api/v1/units/${unitId}`), 200).unit
  const sent = await upload(owner, space_id, await picture())
  assert.ok(sent.status >= 500, `the bucket has taken it: ${sent.status}`)
  const anybody = (path: string, headers: Record<string, string>) =>
    owner.send('POST', path, {
      body: '{"id":"evt_1","type":"ping"}',
      headers: { 'content-type': 'application/json', ...headers },
    })
  const refused = [
    await anybody('/webhooks/payments', { 'stripe-signature': 't=1,v1=00' }),
    await anybody(`/webhooks/pms/${targetId}`, {
      'webhook-id': '1',
      'webhook-timestamp': '1',
      'webhook-signature': 'v1,AA==',
    }),
    await anybody('/webhooks/pms', {}),
    await owner.get('/metrics'),
    sent,
  ]
  for (const { text } of refused) assert.equal(secretIn(text), null)
  const secrets = [made, turned].map(({ text }) => /whsec_([\w+/]{16,})/.exec(text)?.[1])
  assert.ok(secrets.every(Boolean) && secrets[0] !== secrets[1], 'the endpoint has told two secrets')
  return secrets as string[]
}
