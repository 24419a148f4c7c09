/** Text of others as PostgreSQL can store it: without U+0000 and lone surrogates, and cut to a length. */
export const toStorableText = (text: string, maxLength: number) =>
  text.slice(0, maxLength).replaceAll('\0', '').toWellFormed()
