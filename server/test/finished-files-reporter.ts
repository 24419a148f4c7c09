import type { TestEvent } from 'node:test/reporters'

export type FinishedFile = { name: string; passed: boolean }

/** Reporter that writes every test file that came to its end and in which a test ran, as JSON, one a line. */
export default async function* reportFiles(events: AsyncIterable<TestEvent>) {
  let tests = 0
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    if (data.details.type !== 'suite') tests++
    if (data.nesting > 0) continue
    const file: FinishedFile = { name: data.name, passed: type === 'test:pass' }
    if (tests > 0) yield `${JSON.stringify(file)}\n`
    tests = 0
  }
}
