import { kind } from './kind.ts'

/** What can be wrong with a request before anybody looks at what it says. */
export const requestKinds = {
  'bad-request': kind(
    400,
    'The request cannot be understood',
    'The request line, a header or the path is malformed.',
    'Check the address and the headers.',
  ),
  'method-not-allowed': kind(
    405,
    'The method is not offered here',
    'The path exists, but not with this method.',
    'Use one of the methods in the `Allow` header.',
  ),
  'request-timeout': kind(
    408,
    'The request took too long to arrive',
    'The headers, the body or a piece of a file did not come in time.',
    'Send it again; over a slow line, send less at once.',
  ),
  'payload-too-large': kind(
    413,
    'The body is too large',
    'JSON bodies may have 1 MiB.',
    'Send less in one request.',
  ),
  'unsupported-media-type': kind(
    415,
    'The content type is not accepted',
    'Bodies are JSON without content encoding.',
    'Send `Content-Type: application/json`.',
  ),
  'expectation-failed': kind(
    417,
    'The expectation cannot be met',
    'The header Expect asks for something other than `100-continue`.',
    'Leave the header out.',
  ),
  'headers-too-large': kind(
    431,
    'The headers are too large',
    'All headers together may have 16 KiB.',
    'Send fewer or shorter headers.',
  ),
} as const
