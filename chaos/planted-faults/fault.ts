/** A possible mistake, planted to check that a test fails. */
export interface Fault {
  readonly name: string
  /** The consequence for users. */
  readonly means: string
  /** Path from the root of the repository. */
  readonly file: string
  /** Each text must occur in the file exactly once. */
  readonly edits: readonly (readonly [find: string, replace: string])[]
  /** All of these must fail. */
  readonly caughtBy: readonly Catcher[]
}

export interface Catcher {
  readonly file: string
  /** The title of the test without its suites. */
  readonly test: string
}

/** Returns the file with the mistake. @throws when a text does not occur exactly once */
export function applyFault({ name, file, edits }: Fault, text: string): string {
  let faulty = text
  for (const [find, replace] of edits) {
    const count = faulty.split(find).length - 1
    if (count !== 1)
      throw new Error(`${name}: in ${file} this text occurs ${count} times, not once:\n${find}`)
    faulty = faulty.replace(find, () => replace)
  }
  return faulty
}
