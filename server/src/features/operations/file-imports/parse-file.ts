import { createReadStream } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { TextDecoderStream } from 'node:stream/web'
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { BadRequest, semanticError } from '#errors.ts'
import { assertDepth } from '#http/json-body.ts'
import { toStorableText } from '#schema/fields.ts'
import { maxColumns, maxRows, type FileFormat } from './file-import.ts'

export type Cells = readonly (string | null)[]

/** The rows of a file with their numbers; the header comes first. */
export interface ParsedFile {
  readonly format: FileFormat
  readonly columns: readonly string[]
  readonly rows: AsyncIterable<{ position: number; cells: Cells }>
}

const maxCellLength = 10_000
const maxRecordBytes = 1_048_576
/** It is parsed in one piece. */
const maxJsonBytes = 5 * 1_048_576

/** CSV or JSON, decided by the content. @throws Invalid, BadRequest */
export async function parseFile(path: string, sizeBytes: number): Promise<ParsedFile> {
  const head = await readHead(path)
  const encoding = await detectEncoding(path, head)
  const start = new TextDecoder(encoding).decode(head).trimStart()
  return start.startsWith('[') || start.startsWith('{')
    ? await parseJson(path, sizeBytes, encoding)
    : await parseCsv(path, encoding, start)
}

const refused = (code: string, message: string) => semanticError('', message, code)

async function readHead(path: string): Promise<Buffer> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(65_536), 0, 65_536, 0)
  return buffer.subarray(0, bytesRead)
}

/** UTF-16 by its byte order mark, UTF-8 if all of it is, else the one of spreadsheets on Windows. */
async function detectEncoding(path: string, head: Buffer): Promise<string> {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head.includes(0)) throw refused('not_text', 'The file is not text. Save it as CSV (UTF-8).')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>)
      decoder.decode(chunk, { stream: true })
    decoder.decode()
    return 'utf-8'
  } catch (error) {
    if (error instanceof TypeError) return 'windows-1252'
    throw error
  }
}

async function parseJson(path: string, sizeBytes: number, encoding: string): Promise<ParsedFile> {
  if (sizeBytes > maxJsonBytes)
    throw new BadRequest('file-too-large', 'A JSON file has at most 5 MiB. Send a larger one as CSV.')
  let value: unknown
  try {
    const text = new TextDecoder(encoding).decode(await readFile(path))
    assertDepth(text)
    value = JSON.parse(text)
  } catch {
    throw refused('not_json', 'The file is not valid JSON, or has too many levels.')
  }
  // A list, or an object with one, as the API returns it.
  const list = Array.isArray(value) ? value : Object.values(Object(value) as object).find(Array.isArray)
  if (!list || !list.every((entry) => typeof entry === 'object' && entry !== null && !Array.isArray(entry)))
    throw refused('not_json', 'A JSON file has a list of objects.')
  if (list.length > maxRows) throw refused('too_many', `The file has more than ${maxRows} rows.`)
  const records = list.map((entry) => flatten(entry as object))
  const columns = new Set<string>()
  for (const record of records) for (const name of record.keys()) columns.add(name)
  const names = [...columns].slice(0, maxColumns)
  const rows = async function* () {
    for (const [at, record] of records.entries())
      yield { position: at + 1, cells: names.map((name) => record.get(name) ?? null) }
  }
  return { format: 'json', columns: names, rows: rows() }
}

/** The values of an object as texts; those of objects inside it are named like `space.name`. */
function flatten(entry: object, prefix = ''): Map<string, string> {
  const found = new Map<string, string>()
  for (const [member, value] of Object.entries(entry) as [string, unknown][]) {
    const name = toStorableText(`${prefix}${member}`, 255)
    if (value === null || value === undefined) continue
    if (typeof value === 'object' && !Array.isArray(value) && prefix === '')
      for (const [inner, text] of flatten(value, `${name}.`)) found.set(inner, text)
    else
      found.set(
        name,
        toStorableText(typeof value === 'string' ? value : JSON.stringify(value), maxCellLength),
      )
  }
  return found
}

async function parseCsv(path: string, encoding: string, start: string): Promise<ParsedFile> {
  const [separatorLine, separator] = /^sep=([^\r\n])\r?\n/i.exec(start) ?? []
  const text = Readable.toWeb(createReadStream(path)).pipeThrough(new TextDecoderStream(encoding))
  const parser = Readable.fromWeb(text as never).compose(
    parse({
      bom: true,
      delimiter: separator ?? detectDelimiter(start),
      relax_column_count: true,
      relax_quotes: true,
      max_record_size: maxRecordBytes,
    }),
  ) as AsyncIterable<string[]>
  const records = withParserErrors(parser)[Symbol.asyncIterator]()
  // Spreadsheet programs read the separator from this line, and do not count it.
  if (separatorLine) await records.next()
  let header = await records.next()
  let headerRow = 1
  for (; !header.done && isBlank(header.value); headerRow += 1) header = await records.next()
  if (header.done) throw refused('no_rows', 'The file has no rows.')
  if (header.value.length > maxColumns)
    throw refused('too_many', `The file has more than ${maxColumns} columns.`)
  const columns = columnNames(header.value)
  const rows = async function* () {
    let count = 0
    for (;;) {
      const next = await records.next()
      if (next.done) return
      if ((count += 1) > maxRows) throw refused('too_many', `The file has more than ${maxRows} rows.`)
      const record = next.value
      if (isBlank(record)) continue
      const cells = columns.map((_, at) => storedCell(record[at]))
      // Those beyond the header make one more, so that the row is not imported.
      const surplus = record.slice(columns.length, maxColumns).join(' ').trim()
      yield { position: count + headerRow, cells: surplus === '' ? cells : [...cells, storedCell(surplus)] }
    }
  }
  return { format: 'csv', columns, rows: rows() }
}

const isBlank = (record: readonly string[]) => record.every((cell) => cell.trim() === '')

const storedCell = (cell: string | undefined): string | null =>
  cell === undefined || cell === '' ? null : toStorableText(cell, maxCellLength)

async function* withParserErrors<T>(parser: AsyncIterable<T>): AsyncIterable<T> {
  try {
    yield* parser
  } catch (error) {
    if (error instanceof CsvError)
      throw refused('not_csv', `The file is not valid CSV: ${error.message.slice(0, 300)}`)
    throw error
  }
}

/** The one that the header has most of, outside quotes. */
function detectDelimiter(start: string): string {
  const header = (/^(?:"[^"]*"|[^"\r\n])*/.exec(start)?.[0] ?? '').replace(/"[^"]*"/g, '')
  const countOf = (delimiter: string) => header.split(delimiter).length
  return [',', ';', '\t', '|'].toSorted((one, other) => countOf(other) - countOf(one))[0]!
}

function columnNames(header: readonly string[]): string[] {
  const names: string[] = []
  for (const [at, cell] of header.entries()) {
    const name = toStorableText(cell, 240).trim() || `Column ${at + 1}`
    let unique = name
    for (let number = 2; names.includes(unique); number += 1) unique = `${name} (${number})`
    names.push(unique)
  }
  return names
}
