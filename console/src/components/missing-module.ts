/** Whether a file of the console itself could not be loaded. */
export const isMissingModule = (failure: unknown): boolean =>
  failure instanceof Error &&
  /dynamically imported module|module script failed|preload CSS/i.test(failure.message)

/** Loads the page again, unless the service does not answer: the browser would put its own error page in its place. */
export const reloadIfReachable = async (): Promise<void> => {
  const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).catch(() => null)
  if (answer?.ok) location.reload()
}
