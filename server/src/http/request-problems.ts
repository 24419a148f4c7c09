/** A type of problem (RFC 9457), as its page at /problems/<code> describes it. */
export interface ProblemType {
  readonly status: number
  readonly title: string
  readonly cause: string
  readonly remedy: string
}

export const problemType = (status: number, title: string, cause: string, remedy: string): ProblemType => ({
  status,
  title,
  cause,
  remedy,
})

/** Problems that are found before the content of a request is checked. */
export const requestProblems = {
  'bad-request': problemType(
    400,
    'The request cannot be parsed',
    'The request line, a header or the path is malformed.',
    'Check the URL and the headers.',
  ),
  'method-not-allowed': problemType(
    405,
    'The method is not allowed',
    'The path exists, but does not support this method.',
    'Use one of the methods in the `Allow` header.',
  ),
  'request-timeout': problemType(
    408,
    'The request took too long to arrive',
    'The headers, the body or a part of a file did not arrive in time.',
    'Repeat the request. Over a slow connection, send less data at once.',
  ),
  'payload-too-large': problemType(
    413,
    'The body is too large',
    'JSON bodies can have at most 1 MiB.',
    'Send less data in one request.',
  ),
  'unsupported-media-type': problemType(
    415,
    'The content type is not supported',
    'Bodies must be JSON without content encoding.',
    'Send `Content-Type: application/json`.',
  ),
  'expectation-failed': problemType(
    417,
    'The expectation cannot be met',
    'The header Expect has a value other than `100-continue`.',
    'Omit the header.',
  ),
  'organization-frozen': problemType(
    503,
    'The organization cannot be changed at the moment',
    'It is being moved, an operator has frozen it, or the database is changing over to another server. Reads are answered.',
    'Repeat the request after the seconds in `Retry-After`.',
  ),
  'organization-moved': problemType(
    421,
    'Another cell serves the organization',
    'The request came to an installation that the organization has left, or in which it has not arrived yet.',
    'Repeat the request on a new connection.',
  ),
  'headers-too-large': problemType(
    431,
    'The headers are too large',
    'All headers together can have at most 16 KiB.',
    'Send fewer or shorter headers.',
  ),
} as const

/** Problems of an uploaded file. */
export const uploadProblems = {
  'unsupported-media': problemType(
    400,
    'The file type is not supported',
    'The file is empty, damaged, or, as media of a property, not a JPEG, PNG, WebP, AVIF, GIF or PDF, whatever its name is.',
    'Open it in an image editor and save it as JPEG.',
  ),
  'file-too-large': problemType(
    400,
    'The file is too large',
    'A file of media can have at most 10 MiB, an image at most 50 million pixels (AVIF and GIF: 20 million), and a file to import at most 20 MiB, as JSON 5 MiB.',
    'Reduce the size of the image; a width of 4000 pixels is enough for every channel. Split a file to import.',
  ),
  'quota-exceeded': problemType(
    409,
    'The storage quota is exceeded',
    'All files of an organization together can take at most `quota_bytes`.',
    'Delete media that are no longer needed, or ask the operator for a larger quota.',
  ),
} as const
