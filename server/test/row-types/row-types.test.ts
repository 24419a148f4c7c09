import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Statement } from '#db/sql.ts'
import { cloneDatabase } from '../databases.ts'
import { faultsOf } from './compare.ts'
import { openDescriber, type Describer } from './describe.ts'
import { sampleOf, type Sampling } from './samples.ts'
import { readTemplates, type Template, type TemplateFile } from './templates.ts'

/**
 * Every `sql<Row>` of the server is what PostgreSQL returns. The code of a template is copied out of its function and
 * run with made-up arguments; PostgreSQL is asked what the statement would return, and nothing of it is executed.
 */

/** Enough for the longest union of names of tables. */
const rounds = [0, 1, 2, 3, 4, 5]
/** The sort column of lists: for a statement that takes one, the first that it accepts. */
const sortColumns = ['created_at', 'received_at', 'changed_at', 'position', 'first_at']

const { checker, files } = readTemplates(['server/src/**/*.ts', 'server/test/row-types/wrong-rows.ts'])
const isWrong = ({ path }: TemplateFile) => path.endsWith('wrong-rows.ts')
let database: Awaited<ReturnType<typeof cloneDatabase>>
let describer: Describer

before(async () => {
  database = await cloneDatabase()
  describer = await openDescriber(database.url)
})
after(async () => {
  await describer[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

test('every row type is what PostgreSQL returns', async () => {
  const found = files.filter((file) => !isWrong(file))
  assert.ok(found.flatMap(({ templates }) => templates).length > 200, 'the statements were found')
  assert.deepEqual(await faultsOfFiles(found), [])
})

test('a row type that is wrong is found', async () => {
  const faults = await faultsOfFiles(files.filter(isWrong))
  assert.match(faults[0]!, /^server\/test\/row-types\/wrong-rows.ts:5 /)
  assert.deepEqual(
    faults.map((fault) => fault.slice(fault.indexOf(' ') + 1)),
    [
      'name (text) is returned, but the row type has no such member',
      'name is not returned',
      'id is number, but PostgreSQL returns uuid, which the driver makes a string',
      'created_at is Date, but PostgreSQL returns timestamp with time zone, which the driver makes a string',
      'nights is string[], but PostgreSQL returns integer[], which the driver makes a number[]',
      'guest_email is string, but bookings.guest_email may be null',
      'name is string, but target.name may be null',
      'id is returned twice',
      'cannot be described: column "nickname" does not exist',
      'cannot be described: relation "first_at" does not exist',
    ],
  )
})

async function faultsOfFiles(some: readonly TemplateFile[]): Promise<string[]> {
  const faults = new Set<string>()
  for (const file of some) {
    const builders = await buildersOf(file)
    for (const [index, template] of file.templates.entries())
      for (const round of rounds)
        for (const fault of await faultsOfTemplate(template, builders[index]!, round))
          faults.add(`${template.place} ${fault}`)
  }
  return [...faults]
}

async function faultsOfTemplate({ row, samples }: Template, build: Builder, round: number) {
  let fault = ''
  for (const text of sortColumns) {
    try {
      const sampling: Sampling = { checker, round, text }
      const statement = build((number) => sampleOf(samples[number]!, sampling))
      return faultsOf(row, await describer.describe(statement.text), checker)
    } catch (error) {
      fault = `cannot be described: ${(error as Error).message}`
      if (!fault.includes(text)) break
    }
  }
  return [fault]
}

type Builder = (sample: (number: number) => unknown) => Statement

/** Runs the code of the templates as a module that stands beside their file, so that what it imports is found. */
async function buildersOf({ path, imports, templates }: TemplateFile): Promise<Builder[]> {
  const functions = templates.map(({ body }) => `(sample) => {\n${body}\n}`)
  const source = `${imports}\nexport const builders = [${functions.join(',\n')}]`
  const url = `${pathToFileURL(path).href}?templates`
  const hooks = registerHooks({
    load: (wanted, context, next) =>
      wanted === url ? { format: 'module-typescript', source, shortCircuit: true } : next(wanted, context),
  })
  try {
    return ((await import(url)) as { builders: Builder[] }).builders
  } finally {
    hooks.deregister()
  }
}
