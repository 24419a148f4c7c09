import type { Fault } from './fault.ts'

/** Messages of a PMS that are lost, counted twice or believed of anybody. */
export const inboxFaults: readonly Fault[] = [
  {
    name: 'webhook-acknowledged-first',
    means: 'The PMS is told that its booking is kept, the process dies, and nobody ever hears of it.',
    file: 'server/src/features/distribution/pms-messages/receive-message.ts',
    edits: [
      [
        '  await atomically({ ...scope, orgId: candidate.org_id }',
        '  void atomically({ ...scope, orgId: candidate.org_id }',
      ],
      [
        'await storeMessage(transaction, context, message, { body, provider, target })\n  })',
        'await storeMessage(transaction, context, message, { body, provider, target })\n  }).catch(() => {})',
      ],
    ],
    caughtBy: [
      {
        file: 'server/src/features/distribution/pms-messages/nothing-lost.test.ts',
        test: 'does not acknowledge a message before it is stored',
      },
    ],
  },
  {
    name: 'webhook-counted-twice',
    means: 'A PMS that repeats itself, as all of them do, has its message worked through again each time.',
    file: 'server/src/features/distribution/pms-messages/queries.ts',
    edits: [
      [
        '${target.id}, ${source}, ${kind}, ${messageId}, ${body}',
        '${target.id}, ${source}, ${kind}, gen_random_uuid()::text, ${body}',
      ],
    ],
    caughtBy: [
      {
        file: 'server/src/features/distribution/pms-messages/inbox.test.ts',
        test: 'stores concurrent and later copies once, by webhook-id, id or bytes',
      },
    ],
  },
  {
    name: 'webhook-signature-not-asked',
    means: 'Anybody who knows the address of the inbox cancels bookings.',
    file: 'server/src/features/distribution/pms-messages/verify-signature.ts',
    edits: [['  if (isVerified) return\n', '  if (isVerified || isSigned) return\n']],
    caughtBy: [
      {
        file: 'server/src/features/distribution/pms-messages/signatures.test.ts',
        test: 'accepts the current and the previous secret, and returns 401 otherwise',
      },
    ],
  },
  {
    name: 'webhook-signature-over-what-was-read',
    means:
      'The signature is compared with our own writing of the body: real messages are refused, other bytes pass.',
    file: 'server/src/features/distribution/pms-messages/receive-message.ts',
    edits: [
      [
        'assertSignature(bytes, headers, secrets, noticeReader)',
        'assertSignature(Buffer.from(JSON.stringify(parseBody(bytes).value)), headers, secrets, noticeReader)',
      ],
    ],
    caughtBy: [
      {
        file: 'server/src/features/distribution/pms-messages/signatures.test.ts',
        test: 'covers the id, the timestamp and the bytes as received',
      },
    ],
  },
]
