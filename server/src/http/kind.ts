/** One kind of problem that the API answers with. */
export interface Kind {
  readonly status: number
  readonly title: string
  readonly cause: string
  readonly remedy: string
}

export const kind = (status: number, title: string, cause: string, remedy: string): Kind => ({
  status,
  title,
  cause,
  remedy,
})
