/**
 * The organization that this tab acts for, when a person belongs to several; another tab may act for another. The last
 * choice of this browser is where a new tab begins.
 */
const key = 'vacancy.organization'

/** What was sent for one organization is not repeated for another while the page is being left. */
let acting = sessionStorage.getItem(key)

interface OrganizationRequired {
  code: 'organization-required'
  memberships: { organization: { id: string } }[]
}

/** Acts for another organization from now on. The page is loaded again, so that nothing of the former is shown. */
export const switchOrganization = (id: string): void => {
  chooseOrganization(id)
  location.assign('/')
}

/**
 * The organization that the page shows: its requests name it even when the person has no other one, so that nothing goes
 * to one that they join or are moved to meanwhile.
 */
export const keepOrganization = (id: string): void => {
  acting ??= id
}

/** Before another person signs in. */
export const forgetOrganization = (): void => {
  acting = null
  sessionStorage.removeItem(key)
}

/** Sends requests for the chosen organization, and chooses one when the API asks for it. */
export const withOrganization =
  (send: typeof fetch): typeof fetch =>
  async (address, request) => {
    const chosen = acting
    const response = await send(address, forOrganization(request, chosen))
    const problem = response.status === 400 ? await readProblem(response) : null
    if (!problem) return response
    if (chosen === null) return send(address, forOrganization(request, chooseFrom(problem)))
    // A request that was made for one organization is not repeated for another.
    localStorage.removeItem(key)
    sessionStorage.removeItem(key)
    location.assign('/')
    return response
  }

const chooseOrganization = (id: string) => {
  for (const storage of [localStorage, sessionStorage]) storage.setItem(key, id)
}

const chooseFrom = ({ memberships }: OrganizationRequired): string | null => {
  const ids = memberships.map(({ organization }) => organization.id)
  const id = ids.find((one) => one === localStorage.getItem(key)) ?? ids[0] ?? null
  if (id !== null) chooseOrganization(id)
  acting = id
  return id
}

const forOrganization = (request: RequestInit | undefined, id: string | null): RequestInit => {
  const headers = new Headers(request?.headers)
  if (id !== null) headers.set('x-organization', id)
  return { ...request, headers }
}

const readProblem = async (response: Response): Promise<OrganizationRequired | null> => {
  const problem = (await response
    .clone()
    .json()
    .catch(() => null)) as OrganizationRequired | null
  return problem?.code === 'organization-required' ? problem : null
}
