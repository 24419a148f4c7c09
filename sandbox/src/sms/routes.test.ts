import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startMail } from '../mail/server.ts'

test('a request without valid credentials gets 401 with the scheme', async () => {
  const mail = await startMail({})
  try {
    const reply = await fetch(`${mail.url}/2010-04-01/Accounts/AC1/Messages.json`)
    assert.deepEqual([reply.status, reply.headers.get('www-authenticate')?.split(' ')[0]], [401, 'Basic'])
  } finally {
    await mail.close()
  }
})
