import repository from '../../../package.json' with { type: 'json' }

/** The running build. */
export const { version } = repository
