import { ApiError, success, type ApiCall } from './envelope.ts'
import { momentAt } from './dates.ts'
import type { Vendor } from './store.ts'
import { readWebhook, shownWebhook, type Webhook } from './webhook.ts'

export function listWebhooks({ records }: Vendor, { accountId }: ApiCall) {
  const own = records.list('webhook').filter((webhook) => webhook.accountId === accountId)
  return success(own.map(shownWebhook))
}

export function showWebhook(vendor: Vendor, call: ApiCall) {
  return success(shownWebhook(findWebhook(vendor, call)))
}

export function addWebhook({ records, now }: Vendor, { accountId, body }: ApiCall) {
  const fields = readWebhook(body(), undefined)
  const webhook = { id: records.nextId(), accountId, ...fields, insertedOn: momentAt(now()), failingDays: [] }
  records.save(['webhook', webhook.id, webhook])
  return success(shownWebhook(webhook))
}

/** Enabling a webhook that was disabled for failures resets its failure count. */
export function changeWebhook(vendor: Vendor, call: ApiCall) {
  const before = findWebhook(vendor, call)
  const after = { ...before, ...readWebhook(call.body(), before) }
  if (after.isEnabled === 1 && before.isEnabled === 0) after.failingDays = []
  vendor.records.save(['webhook', after.id, after])
  return success(shownWebhook(after))
}

export function removeWebhook(vendor: Vendor, call: ApiCall) {
  vendor.records.save(['webhook', findWebhook(vendor, call).id, null])
  return success([])
}

function findWebhook({ records }: Vendor, { accountId, id }: ApiCall): Webhook {
  const webhook = records.find('webhook', id ?? '')
  if (webhook?.accountId !== accountId) throw new ApiError(404, 'Webhook not found.')
  return webhook
}
