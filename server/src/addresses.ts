/** An address to which a path is added. Of slashes in a row only the first is looked behind, so long ones cost nothing. */
export const withoutLastSlashes = (address: string): string => address.replace(/(?<!\/)\/+$/, '')
