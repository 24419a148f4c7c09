type Faults = Partial<Record<string, string>>

/** What was typed cannot be sent; each fault belongs to a field. */
export class InvalidFields extends Error {
  readonly faults: Faults

  constructor(faults: Faults) {
    super(Object.values(faults).join(' '))
    this.faults = faults
  }
}
