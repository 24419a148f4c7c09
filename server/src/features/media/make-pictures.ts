import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { Malformed } from '#errors.ts'
import { extensions, mostPixels, type ContentType } from './media.ts'

/** One processor for each picture, and nothing kept of what was read: many are made at once, each of them once. */
sharp.concurrency(1)
sharp.cache(false)
// What decodes SVG, PDF and their like would follow references and run for long: it is not to be reached at all.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif'].map((format) => `VipsForeignLoad${format}`),
})

/** A picture as it lies in the folder of its upload. */
export interface Picture {
  readonly name: string
  readonly path: string
  readonly contentType: ContentType
  readonly sizeBytes: number
  readonly width: number
  readonly height: number
}

const edges = { large: 1_600, small: 800, thumbnail: 320 } as const
const longestSeconds = 20

/**
 * The picture made anew, upright and without anything but what can be seen, and smaller ones of it. What follows the
 * picture in its file is not a part of it and goes. @throws Malformed
 */
export async function makePictures(
  path: string,
  contentType: ContentType,
  folder: string,
): Promise<{ original: Picture; renditions: Picture[] }> {
  const isMoving = contentType === 'image/gif' || contentType === 'image/webp'
  try {
    const { hasAlpha, pages = 1 } = await measured(read(path, isMoving))
    const original = await write(
      encoded(pages > 1 ? read(path, isMoving) : read(path).autoOrient(), contentType),
      { folder, name: 'original', contentType },
    )
    const smallType = hasAlpha ? 'image/webp' : 'image/jpeg'
    const shrink = (source: string, name: keyof typeof edges) =>
      write(encoded(fitted(read(source).autoOrient(), edges[name]), smallType), {
        folder,
        name,
        contentType: smallType,
      })
    const large = await shrink(path, 'large')
    const small = await shrink(large.path, 'small')
    const thumbnail = await shrink(small.path, 'thumbnail')
    return { original, renditions: [thumbnail, small, large] }
  } catch (error) {
    if (error instanceof Malformed || isOfTheSystem(error)) throw error
    if (/pixel limit/.test(String(error))) throw tooManyPixels()
    throw new Malformed('unsupported-media', `The file begins as ${contentType} and cannot be read as such.`)
  }
}

/** Only these can be read whole before anything is decoded. */
async function measured(picture: Sharp) {
  const found = await picture.metadata()
  const { width, height, pages = 1, pageHeight = height } = found
  if (width * pageHeight * pages > mostPixels) throw tooManyPixels()
  return found
}

const tooManyPixels = () =>
  new Malformed('file-too-large', 'The picture has more than 50 million pixels, all its frames together.')

const read = (path: string, animated = false) =>
  sharp(path, { limitInputPixels: mostPixels, failOn: 'error', sequentialRead: true, animated })

const fitted = (picture: Sharp, edge: number) =>
  picture.resize({ width: edge, height: edge, fit: 'inside', withoutEnlargement: true })

function encoded(picture: Sharp, contentType: ContentType): Sharp {
  if (contentType === 'image/png') return picture.png()
  if (contentType === 'image/webp') return picture.webp({ quality: 85 })
  if (contentType === 'image/gif') return picture.gif()
  // More effort takes seconds for each picture and saves some percent.
  if (contentType === 'image/avif') return picture.avif({ quality: 60, effort: 1 })
  // In steps it would take three times as long and, while it is made, the whole picture in memory.
  return picture.jpeg({ quality: 85 })
}

async function write(
  picture: Sharp,
  { folder, name, contentType }: { folder: string; name: string; contentType: ContentType },
): Promise<Picture> {
  const path = join(folder, `${name}.${extensions[contentType]}`)
  const {
    width,
    height,
    pageHeight = height,
  } = await picture.timeout({ seconds: longestSeconds }).toFile(path)
  const { size: sizeBytes } = await stat(path)
  return { name, path, contentType, sizeBytes, width, height: pageHeight }
}

/** A disk that is full says nothing about the picture. */
const isOfTheSystem = (error: unknown) => typeof (error as { syscall?: unknown }).syscall === 'string'
