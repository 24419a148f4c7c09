import { kind } from './kind.ts'

/** What can be wrong with a file that is sent. */
export const uploadKinds = {
  'unsupported-media': kind(
    400,
    'The file is not of a kind that is kept',
    'The file is empty, damaged, or no JPEG, PNG, WebP, AVIF, GIF or PDF, whatever its name says.',
    'Open it in a program for pictures and save it as JPEG.',
  ),
  'file-too-large': kind(
    400,
    'The file is too large',
    'A file may have 10 MiB, and a picture 50 million pixels.',
    'Make the picture smaller; 4000 pixels in width are enough for every channel.',
  ),
  'quota-exceeded': kind(
    409,
    'There is no room for more files',
    'All files of an organization together may take what `quota_bytes` says.',
    'Delete media that are no longer needed, or ask whoever runs the service for more.',
  ),
} as const
