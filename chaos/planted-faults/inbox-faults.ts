import type { Fault } from './fault.ts'

const inbox = 'server/src/features/distribution/pms-messages/'

/** Messages of a PMS that are lost, processed twice or accepted from anybody. */
export const inboxFaults: readonly Fault[] = [
  {
    name: 'webhook-acknowledged-first',
    means: 'The PMS gets a 200 for its booking, the process dies, and the booking is lost.',
    code: [
      { file: `${inbox}receive-message.ts`, function: 'receiveMessage', awaitOf: 'atomically', becomes: '' },
    ],
    caughtBy: [`${inbox}nothing-lost.test.ts`],
  },
  {
    name: 'webhook-counted-twice',
    means: 'A message that a PMS repeats is processed again each time.',
    code: [
      {
        ...{ file: `${inbox}queries.ts`, function: 'saveMessage' },
        ...{ sqlCondition: 'message.message_id', becomes: 'false' },
      },
    ],
    caughtBy: [`${inbox}inbox.test.ts`],
  },
  {
    name: 'webhook-copies-at-once',
    means: 'Copies of a message that arrive at the same time are all processed.',
    code: [
      {
        ...{ file: `${inbox}queries.ts`, function: 'saveMessage' },
        ...{ sqlCall: 'pg_advisory_xact_lock', becomes: '1' },
      },
    ],
    caughtBy: [`${inbox}inbox.test.ts`],
  },
  {
    name: 'webhook-signature-not-verified',
    means: 'Anybody who knows the address of the inbox cancels bookings.',
    code: [
      {
        ...{ file: `${inbox}verify-signature.ts`, function: 'assertSignature' },
        ...{ condition: 'isVerified', becomes: 'isVerified || isSigned' },
      },
    ],
    caughtBy: [`${inbox}signatures.test.ts`],
  },
  {
    name: 'webhook-signature-over-the-parsed-body',
    means: 'The signature is compared with our own serialization of the body: real messages are refused.',
    code: [
      {
        ...{
          file: `${inbox}receive-message.ts`,
          function: 'verifySender',
          call: 'assertSignature',
          argument: 0,
        },
        becomes: 'Buffer.from(JSON.stringify(JSON.parse(String(bytes))))',
      },
    ],
    caughtBy: [`${inbox}signatures.test.ts`],
  },
]
