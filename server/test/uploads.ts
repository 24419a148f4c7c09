import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Reply, TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import type { World } from './world.ts'

/** Helpers for pictures and uploads. */

export const picture = (width = 40, height = 30, format: 'jpeg' | 'png' | 'webp' | 'avif' | 'gif' = 'jpeg') =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 120, b: 40 } } })
    .toFormat(format)
    .toBuffer()

/** A picture of random noise, which cannot be compressed. */
export const noise = (width: number, height: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })

type Extra = Record<string, string>

/** The file name always ends with .jpg, because the product must not rely on it. */
export function upload(
  caller: TestCaller,
  propertyId: string,
  file: Buffer<ArrayBufferLike> | null,
  fields: Extra = {},
  headers: Extra = {},
): Promise<Reply> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  if (file) form.append('file', new Blob([new Uint8Array(file)], { type: 'image/jpeg' }), 'photo.jpg')
  return caller.send('POST', `/api/v1/properties/${propertyId}/media`, { body: form, headers })
}

export const addMedia = async (caller: TestCaller, propertyId: string, fields: Extra = {}) =>
  expectStatus(await upload(caller, propertyId, await picture(), fields), 200).media

/** The stored files of the world, and those of uploads in progress. */
export async function filesOf({ config }: World): Promise<{ stored: string[]; arriving: string[] }> {
  const list = (name: string) =>
    readdir(join(config.home, name), { recursive: true, withFileTypes: true }).then(
      (found) => found.filter((one) => one.isFile()).map((one) => one.name),
      () => [],
    )
  return { stored: await list('media'), arriving: await list('uploads') }
}
