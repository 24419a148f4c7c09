import { Fail, success, type Reply } from './envelope.ts'
import { momentAt } from './nights.ts'
import type { Asked, Vendor } from './vendor.ts'
import { readWebhook, shownWebhook, type Webhook } from './webhook.ts'

export function listWebhooks({ records }: Vendor, { accountId }: Asked): Reply {
  const own = records.list('webhook').filter((webhook) => webhook.accountId === accountId)
  return success(own.map(shownWebhook))
}

export function showWebhook(vendor: Vendor, asked: Asked): Reply {
  return success(shownWebhook(findWebhook(vendor, asked)))
}

export function addWebhook({ records, now }: Vendor, { accountId, body }: Asked): Reply {
  const fields = readWebhook(body(), undefined)
  const webhook = { id: records.nextId(), accountId, ...fields, insertedOn: momentAt(now()), failingDays: [] }
  records.save(['webhook', webhook.id, webhook])
  return success(shownWebhook(webhook))
}

/** One that was switched off for failing starts afresh when it is switched on. */
export function changeWebhook(vendor: Vendor, asked: Asked): Reply {
  const before = findWebhook(vendor, asked)
  const after = { ...before, ...readWebhook(asked.body(), before) }
  if (after.isEnabled === 1 && before.isEnabled === 0) after.failingDays = []
  vendor.records.save(['webhook', after.id, after])
  return success(shownWebhook(after))
}

export function removeWebhook(vendor: Vendor, asked: Asked): Reply {
  vendor.records.save(['webhook', findWebhook(vendor, asked).id, null])
  return success([])
}

function findWebhook({ records }: Vendor, { accountId, ids }: Asked): Webhook {
  const webhook = records.find('webhook', ids[0] ?? '')
  if (webhook?.accountId !== accountId) throw new Fail(404, 'Webhook not found.')
  return webhook
}
