/** A mistake that somebody could make, planted to see whether a test notices. */
export interface Fault {
  readonly name: string
  /** What an operator would see of it, sooner or later. */
  readonly means: string
  /** From the root of the repository. */
  readonly file: string
  /** Each text stands in the file exactly once, else the list is out of date. */
  readonly edits: readonly (readonly [find: string, replace: string])[]
  /** All of these must fail. */
  readonly caughtBy: readonly Catcher[]
}

export interface Catcher {
  readonly file: string
  /** The name of the test without the suites around it, as it stands in the file. */
  readonly test: string
}

/** The file with the mistake in it. @throws when a text does not stand there exactly once */
export function planted({ name, file, edits }: Fault, text: string): string {
  let faulty = text
  for (const [find, replace] of edits) {
    const count = faulty.split(find).length - 1
    if (count !== 1) throw new Error(`${name}: in ${file} this stands ${count} times, not once:\n${find}`)
    faulty = faulty.replace(find, () => replace)
  }
  return faulty
}
