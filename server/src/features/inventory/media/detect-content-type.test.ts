import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { detectContentType } from './detect-content-type.ts'

const folder = mkdtempSync(join(tmpdir(), 'vacancy-content-type-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const jpeg = '\xff\xd8\xff\xe0'
const ftyp = (...brands: string[]) =>
  `\0\0\0${String.fromCharCode(12 + 4 * brands.length)}ftyp${brands[0]}\0\0\0\0${brands.slice(1).join('')}`

const files: [name: string, bytes: string, contentType: string | null][] = [
  ['a JPEG', jpeg, 'image/jpeg'],
  ['a GIF', 'GIF89a', 'image/gif'],
  ['a GIF of no known version', 'GIFxyz', null],
  ['a WebP', 'RIFF\0\0\0\0WEBP', 'image/webp'],
  ['an AVIF', ftyp('avif', 'mif1'), 'image/avif'],
  ['an AVIF with another major brand', ftyp('mif1', 'avif'), 'image/avif'],
  ['a HEIC', ftyp('heic', 'mif1'), null],
  ['a JPEG behind an ID3 tag', `ID3\x03\0\0\0\0\0\x0a${'\0'.repeat(10)}${jpeg}`, null],
  ['a whole PDF', '%PDF-1.7\n%%EOF', 'application/pdf'],
  ['a PDF without its end', '%PDF-1.7\n', null],
]

for (const [name, bytes, contentType] of files)
  test(`${name}: ${contentType ?? 'not accepted'}`, async () => {
    const path = join(folder, 'file')
    const content = Buffer.from(bytes.padEnd(100, '\0'), 'latin1')
    writeFileSync(path, content)
    assert.equal(await detectContentType(path, content.length), contentType)
  })
