import { Fact, Facts, Section } from '../../components/section.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { Command } from './command.tsx'
import { settingsMessages } from './messages.ts'
import styles from './settings.module.css'

const verification = `import { createHmac, timingSafeEqual } from 'node:crypto'

const verify = (secret, headers, rawBody) => {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given } = headers
  if (Math.abs(Date.now() / 1000 - at) > 300) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const digest = createHmac('sha256', key).update(\`\${id}.\${at}.\${rawBody}\`).digest()
  return given.split(' ').some((one) => {
    const signature = Buffer.from(one.replace(/^v1,/, ''), 'base64')
    return signature.length === digest.length && timingSafeEqual(signature, digest)
  })
}`

/** What a program needs to begin: where the API is, a token, the reference, and how webhooks are verified. */
export const Developers = () => {
  const text = useMessages(settingsMessages)
  const base = location.origin
  return (
    <>
      <Section title={text('developers')}>
        <p className={styles.quiet}>{text('devText')}</p>
        <Facts>
          <Fact name={text('baseUrl')}>{`${base}/api/v1`}</Fact>
          <Fact name={text('reference')}>
            <a href="/docs" target="_blank" rel="noreferrer">
              {base}/docs
            </a>
          </Fact>
          <Fact name={text('contract')}>
            <a href="/api/v1/openapi.json" target="_blank" rel="noreferrer">
              openapi.json
            </a>
          </Fact>
        </Facts>
      </Section>
      <Section title={text('token')}>
        <p className={styles.quiet}>{text('tokenText')}</p>
        <Command>npx vacancy token --as owner</Command>
      </Section>
      <Section title={text('firstCall')}>
        <Command>{`curl -H "Authorization: Bearer $TOKEN" "${base}/api/v1/units?limit=3"`}</Command>
      </Section>
      <Section title={text('verify')}>
        <p className={styles.quiet}>{text('verifyText')}</p>
        <Command>{verification}</Command>
      </Section>
    </>
  )
}
