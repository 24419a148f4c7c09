import type { TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import type { Ask } from './exercise-inventory.ts'
import { addLinkedUnit, addPmsFault, clearPmsFaults, setPrice, statusOf, until } from './linked-units.ts'
import { addImport, unknownId } from './records.ts'
import type { World } from './world.ts'

interface Context {
  world: World
  owner: TestCaller
  ask: Ask
}

/** What operators do with many records at once: find them, change them, and correct what fails. */
export async function exerciseOperations(context: Context): Promise<void> {
  for (const path of [
    'today',
    'audit',
    'audit?q=%25&kind=unit',
    'audit.csv?kind=unit',
    'members',
    'rate-limits',
  ])
    await context.ask('GET', `/api/v1/${path}`)
  for (const q of ['unit', 'zoe', 'space', '%'])
    await context.ask('GET', `/api/v1/search?q=${encodeURIComponent(q)}`)
  const { bookings } = (await context.ask('GET', '/api/v1/bookings')).body
  const booking_ids = [bookings[0].id, unknownId]
  await context.ask('POST', '/api/v1/bookings/bulk', { action: 'confirm', booking_ids })
  await exerciseImports(context)
  await exerciseFileImports(context)
  await exerciseExports(context)
  await exerciseFailures(context)
}

async function exerciseExports({ world, ask }: Context): Promise<void> {
  const { id } = expectStatus(await ask('POST', '/api/v1/exports'), 201).export
  await world.settled()
  expectStatus(await ask('GET', `/api/v1/exports/${id}`), 200)
  await ask('GET', '/api/v1/exports?status=completed')
  const { url } = expectStatus(await ask('POST', `/api/v1/exports/${id}/download`), 200).download
  await ask('GET', new URL(url).pathname)
  await ask('POST', `/api/v1/exports/${unknownId}/download`)
}

async function exerciseImports({ owner, ask }: Context): Promise<void> {
  const { id, channel_target_id } = await addImport(owner)
  await ask('POST', '/api/v1/imports', { channel_target_id })
  await ask('POST', `/api/v1/imports/${id}/run`)
  await ask('GET', `/api/v1/imports/${id}`)
  await ask('GET', `/api/v1/imports/${id}/items?kind=unit&action=skip`)
  for (const step of ['live', 'cancel', 'cancel', 'run', 'live'])
    await ask('POST', `/api/v1/imports/${id}/${step}`)
  await ask('GET', '/api/v1/imports')
  const another = expectStatus(await ask('POST', '/api/v1/imports', { channel_target_id }), 201).import
  await ask('POST', `/api/v1/imports/${another.id}/cancel`)
}

async function exerciseFileImports({ world, ask }: Context): Promise<void> {
  const file = await ask('POST', '/api/v1/file-imports?kind=units', 'name,price\nHut,120\nCabin,x', {
    'content-type': 'text/csv',
  })
  const { id } = expectStatus(file, 201).file_import
  const path = `/api/v1/file-imports/${id}`
  await world.settled()
  await ask('GET', '/api/v1/file-imports?kind=units&status=planned')
  await ask('GET', path)
  await ask('GET', `${path}/rows?action=error`)
  await ask('PATCH', path, {})
  await ask('PATCH', path, { mapping: [{ field: 'name', column: 'unknown' }] })
  await world.settled()
  for (const step of ['run', 'cancel', 'cancel', 'run']) await ask('POST', `${path}/${step}`)
  await ask('PATCH', path, { date_order: 'mdy' })
  await ask('POST', '/api/v1/file-imports?kind=units')
}

async function exerciseFailures({ world, owner, ask }: Context): Promise<void> {
  const linked = await addLinkedUnit(owner)
  await world.settled()
  await addPmsFault(world, linked, { mode: 'refuse', status: 422, calendar: true })
  await setPrice(owner, linked, 25_000)
  await until(
    () => statusOf(owner, linked),
    ({ status }) => status === 'failed',
  )
  const { body } = await ask('GET', `/api/v1/sync/failures?channel_target_id=${linked.targetId}`)
  await ask('GET', `/api/v1/sync/failures/${body.sync_failures[0].id}/listings`)
  await clearPmsFaults(world)
  for (const id of [body.sync_failures[0].id, unknownId])
    await ask('POST', `/api/v1/sync/failures/${id}/retry`)
}
