import { useEffect } from 'react'
import { useQueryClient } from '@tanstack/react-query'

export const refreshMs = 2_000

/** Reads the lists of an operation again every two seconds while some of their records are not done. */
export const useRefreshWhile = (isOpen: boolean | undefined, { path }: { path: string }): void => {
  const queries = useQueryClient()
  useEffect(() => {
    if (!isOpen) return
    const timer = setInterval(() => void queries.invalidateQueries({ queryKey: [path] }), refreshMs)
    return () => clearInterval(timer)
  }, [isOpen])
}
