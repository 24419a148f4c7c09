/** Letters that Unicode does not decompose. */
const plainLetters: Record<string, string> = {
  ...{ ł: 'l', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ı: 'i' },
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th' },
}

/** A text as it is searched in: without case and accents, as the API compares names. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[łøđðħıßæœþ]/g, (letter) => plainLetters[letter] ?? letter)
