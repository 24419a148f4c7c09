/** Whether a text is an id as the API writes them. */
export const isUuid = (text: string): boolean => /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/.test(text)
