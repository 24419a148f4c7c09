import type { LinkProps } from '@tanstack/react-router'

/** A link to a screen by its path, for paths that are put together: `/channels/…`. */
export const screenLink = (path: string, search?: object): LinkProps =>
  ({ to: path, ...(search && { search }) }) as LinkProps
