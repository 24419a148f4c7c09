/** One look at one part; `look` answers what it found, or throws why it could not. */
export type Check = { name: string; advice: string; look: () => Promise<string> }
