import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Config } from '#config/config.ts'
import { openMail, openStorage } from '../resources.ts'
import type { DoctorCheck } from './doctor-check.ts'
import { getJson } from './doctor-services.ts'

/** Writes, reads and removes a file, as the role of the processes may lack one of these. */
export const checkFiles = (config: Config): DoctorCheck => ({
  name: 'Files',
  advice: config.media.bucket
    ? 'Check S3_BUCKET, S3_ENDPOINT, S3_REGION and the keys, which must allow to put, get and delete objects.'
    : 'Check the folder media of VACANCY_HOME.',
  run: async () => {
    const storage = openStorage(config)
    const key = `doctor-${randomUUID()}`
    const content = Buffer.from('A file of vacancy doctor, which removes it.')
    try {
      await storage.put(key, Readable.from(content), {
        contentType: 'text/plain',
        sizeBytes: content.length,
      })
      const sizeBytes = await storage.sizeOf(key)
      if (sizeBytes !== content.length) throw new Error(`a file of ${content.length} bytes has ${sizeBytes}`)
      await storage.remove(key)
      return `${config.media.bucket?.name ?? 'the folder media'} stores and removes files`
    } catch (error) {
      throw lastCauseOf(error)
    } finally {
      storage.close()
    }
  },
})

/** What the bucket or the system answered: the errors around it only say that files cannot be reached. */
function lastCauseOf(error: unknown): Error {
  const { name, message, cause } = error as Error
  if (cause) return lastCauseOf(cause)
  return new Error(name === 'Error' || message.includes(name) ? message : `${name}: ${message}`)
}

export const checkMail = (config: Config): DoctorCheck | undefined =>
  config.mail === null
    ? undefined
    : {
        name: 'Mail',
        advice:
          'Check SMTP_URL: host, port, user and password, and smtps:// where the server expects TLS at once.',
        run: async () => {
          const server = openMail(config)
          try {
            await server.verify()
            return `${new URL(config.mail!.url).host} accepts the connection`
          } finally {
            server.close()
          }
        },
      }

export const checkSms = ({ sms }: Config): DoctorCheck | undefined =>
  sms === null
    ? undefined
    : {
        name: 'SMS',
        advice: 'Check SMS_URL, SMS_ACCOUNT and SMS_TOKEN.',
        run: async () => {
          const credentials = Buffer.from(`${sms.account}:${sms.token}`).toString('base64')
          const path = `2010-04-01/Accounts/${encodeURIComponent(sms.account)}/Messages.json?PageSize=1`
          await getJson(`${sms.url}/${path}`, { authorization: `Basic ${credentials}` })
          return `${new URL(sms.url).host} accepts the account`
        },
      }
