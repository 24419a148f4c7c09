import { join } from 'node:path'
import { exportTokenOf } from '#features/distribution/calendar-feeds/calendar-feed.ts'
import { maxFileBytes } from '#features/operations/organization-export/export.ts'
import { runExport } from '#features/operations/organization-export/run-export.ts'
import { permissionTable } from '#http/permissions.ts'
import { systemScope } from '#queue/periodic-task.ts'
import type { Reply, TestCaller } from '../caller.ts'
import { expectStatus } from '../expect.ts'
import { addExport, addFeed, addSpace, addUnit, unknownId } from '../records.ts'
import { addMedia } from '../uploads.ts'
import type { World } from '../world.ts'

/** The permission table, as requests. */
export interface Row {
  row: string
  method: string
  needed: string
  path: string
}

export const rows: Row[] = Object.entries(permissionTable).map(([row, needed]) => {
  const [method, template] = row.split(' ') as [string, string]
  const path = template.replace(/:(?!token|organization|file)\w+/g, unknownId)
  return { row, method, needed, path }
})

/** A webhook of the payment provider is authenticated by its signature, not by a token. */
export const isSigned = ({ row }: Row) => row === 'POST /webhooks/payments'

export type Head = Pick<Reply, 'status' | 'body' | 'headers'>

/** Fetches rows, with the secrets of the addresses that need no token. */
export async function openRows(world: World) {
  const owner = await world.home.as('owner')
  const feed = await addFeed(owner, { unit_id: (await addUnit(owner)).id })
  const calendar = exportTokenOf(feed.url)!
  const photo = new URL((await addMedia(owner, (await addSpace(owner)).id)).url).pathname
  const download = await addDownload(world, owner)
  /** With a token, or none. Only the head of the answer counts, because a stream does not end. */
  return async ({ method, path }: Pick<Row, 'method' | 'path'>, token: string | null): Promise<Head> => {
    const stopping = new AbortController()
    const hasBody = !['GET', 'HEAD', 'DELETE'].includes(method)
    const address = path
      .replace('/exports/:token.tar', download)
      .replace(':token', calendar)
      .replace('/media/:organization/:file', photo)
    const answer = await fetch(`${world.url}${address}`, {
      method,
      signal: stopping.signal,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      ...(hasBody && { body: '{}' }),
    })
    const isProblem = answer.headers.get('content-type')?.startsWith('application/problem+json')
    const body = (isProblem && method !== 'HEAD' ? await answer.json() : null) as Reply['body']
    stopping.abort()
    return { status: answer.status, body, headers: answer.headers }
  }
}

/** The address of the file of an export. */
async function addDownload({ config, resources, home }: World, owner: TestCaller): Promise<string> {
  const { id } = await addExport(owner)
  const context = { config, storage: resources.storage, uploads: join(config.home, 'uploads'), maxFileBytes }
  await runExport(systemScope(resources, home.id), context, id, { signal: new AbortController().signal })
  const { download } = expectStatus(await owner.post(`/api/v1/exports/${id}/download`), 200)
  return new URL(download.url).pathname
}
