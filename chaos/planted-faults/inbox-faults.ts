import type { Fault } from './fault.ts'

const inbox = 'server/src/features/pms-events'

/** Messages of a PMS that are lost, counted twice or believed of anybody. */
export const inboxFaults: readonly Fault[] = [
  {
    name: 'webhook-acknowledged-first',
    means: 'The PMS is told that its booking is kept, the process dies, and nobody ever hears of it.',
    file: `${inbox}/receive-message.ts`,
    edits: [
      [
        '  await atomically({ ...scope, orgId: only.org_id }',
        '  void atomically({ ...scope, orgId: only.org_id }',
      ],
      [
        'await keep(transaction, inbox, received, { body, provider, target })\n  })',
        'await keep(transaction, inbox, received, { body, provider, target })\n  }).catch(() => {})',
      ],
    ],
    caughtBy: [
      {
        file: `${inbox}/nothing-lost.test.ts`,
        test: 'while it cannot be written nobody says that it is kept',
      },
    ],
  },
  {
    name: 'webhook-counted-twice',
    means: 'A PMS that repeats itself, as all of them do, has its message worked through again each time.',
    file: `${inbox}/queries.ts`,
    edits: [
      [
        '${target.id}, ${source}, ${kind}, ${messageId}, ${body}',
        '${target.id}, ${source}, ${kind}, gen_random_uuid()::text, ${body}',
      ],
    ],
    caughtBy: [
      {
        file: `${inbox}/inbox.test.ts`,
        test: 'of one message, at once and later, are one, by webhook-id, id or bytes',
      },
    ],
  },
  {
    name: 'webhook-signature-not-asked',
    means: 'Anybody who knows the address of the inbox cancels bookings.',
    file: `${inbox}/prove-sender.ts`,
    edits: [['  if (isProved) return\n', '  if (isProved || isSigned) return\n']],
    caughtBy: [
      {
        file: `${inbox}/signatures.test.ts`,
        test: 'the secret and the one before it are good; others, and none, are 401',
      },
    ],
  },
  {
    name: 'webhook-signature-over-what-was-read',
    means:
      'The signature is compared with our own writing of the body: real messages are refused, other bytes pass.',
    file: `${inbox}/receive-message.ts`,
    edits: [
      [
        'proveSender(bytes, headers, secrets, notices)',
        'proveSender(Buffer.from(JSON.stringify(readBody(bytes).value)), headers, secrets, notices)',
      ],
    ],
    caughtBy: [
      { file: `${inbox}/signatures.test.ts`, test: 'it is over the id, the time and the very bytes' },
    ],
  },
]
