import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { BadRequest } from '#errors.ts'
import { extensions, maxEdge, maxPixels, maxPixelsOf, type ContentType } from './media.ts'

// Several pictures are processed at once and none is read again, so each uses one thread, and nothing is cached.
sharp.concurrency(1)
sharp.cache(false)
// Decoders of SVG, PDF and similar formats follow references and may run for a long time, so only these are allowed.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif'].map((format) => `VipsForeignLoad${format}`),
})

/** A picture in the folder of its upload. */
export interface Picture {
  readonly name: string
  readonly path: string
  readonly contentType: ContentType
  readonly sizeBytes: number
  readonly width: number
  readonly height: number
}

const renditionEdges = { large: 1_600, small: 800, thumbnail: 320 } as const
const maxEncodeSeconds = 20

/**
 * Encodes the picture again, upright and without metadata, and creates smaller renditions. Bytes that follow the picture in
 * its file are dropped. @throws BadRequest
 */
export async function makePictures(
  path: string,
  contentType: ContentType,
  folder: string,
): Promise<{ original: Picture; renditions: Picture[] }> {
  const isAnimated = contentType === 'image/gif' || contentType === 'image/webp'
  try {
    const { hasAlpha, pages = 1 } = await readMetadata(path, contentType, isAnimated)
    const original = await write(
      encoded(pages > 1 ? read(path, isAnimated) : read(path).autoOrient(), contentType),
      { folder, name: 'original', contentType },
    )
    const smallType = hasAlpha ? 'image/webp' : 'image/jpeg'
    const shrink = (source: string, name: keyof typeof renditionEdges) =>
      write(encoded(resized(read(source).autoOrient(), renditionEdges[name]), smallType), {
        folder,
        name,
        contentType: smallType,
      })
    const large = await shrink(path, 'large')
    const small = await shrink(large.path, 'small')
    const thumbnail = await shrink(small.path, 'thumbnail')
    return { original, renditions: [thumbnail, small, large] }
  } catch (error) {
    if (error instanceof BadRequest || isSystemError(error)) throw error
    if (/pixel limit/.test(String(error))) throw tooManyPixels()
    throw new BadRequest('unsupported-media', `The file starts like ${contentType}, but cannot be decoded.`)
  }
}

/** Reads the dimensions from the header, so that a picture that is too large is never decoded. @throws BadRequest */
async function readMetadata(path: string, contentType: ContentType, isAnimated: boolean) {
  const found = await read(path, isAnimated).metadata()
  const { width, height, pages = 1, pageHeight = height } = found
  if (width * pageHeight * pages > maxPixelsOf(contentType) || Math.max(width, pageHeight) > maxEdge)
    throw tooManyPixels()
  return found
}

const tooManyPixels = () =>
  new BadRequest(
    'file-too-large',
    'All frames of the picture together have more than 50 million pixels (AVIF and GIF: 20 million), or one side has more than 65,535.',
  )

const read = (path: string, animated = false) =>
  sharp(path, { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: true, animated })

const resized = (picture: Sharp, edge: number) =>
  picture.resize({ width: edge, height: edge, fit: 'inside', withoutEnlargement: true })

function encoded(picture: Sharp, contentType: ContentType): Sharp {
  if (contentType === 'image/png') return picture.png()
  if (contentType === 'image/webp') return picture.webp({ quality: 85 })
  if (contentType === 'image/gif') return picture.gif()
  // A higher effort takes seconds more for each picture and makes it only some percent smaller.
  if (contentType === 'image/avif') return picture.avif({ quality: 60, effort: 1 })
  // A progressive JPEG would take three times as long, and the whole picture in memory.
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
  } = await picture.timeout({ seconds: maxEncodeSeconds }).toFile(path)
  const { size: sizeBytes } = await stat(path)
  return { name, path, contentType, sizeBytes, width, height: pageHeight }
}

/** An error of the system, such as a full disk, is not caused by the picture. */
const isSystemError = (error: unknown) => typeof (error as { syscall?: unknown }).syscall === 'string'
