import { Fact, Facts, Section } from '../../components/section.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller } from '../../session/api.tsx'
import { ChangedBy } from './command.tsx'
import { settingsMessages } from './messages.ts'
import styles from './settings.module.css'

const roles = ['owner', 'admin', 'manager', 'staff', 'viewer', 'service'] as const

/** Who is signed in, what each role is for, and how members are changed. */
export const Members = () => {
  const text = useMessages(settingsMessages)
  const { caller } = useCaller()
  const id = caller?.organization.id ?? ''
  return (
    <>
      <Section title={text('members')}>
        <Facts>
          <Fact name={text('you')} note={caller?.user.email}>
            {caller?.user.name ?? caller?.user.email}
          </Fact>
          <Fact name={text('yourRole')}>{caller?.role}</Fact>
        </Facts>
        <p className={styles.quiet}>{text('membersText')}</p>
        <ChangedBy>{`npx vacancy member list --org ${id}
npx vacancy member add --org ${id} --email ana@example.com --role manager
npx vacancy member role --org ${id} --email ana@example.com --role staff
npx vacancy member remove --org ${id} --email ana@example.com`}</ChangedBy>
      </Section>
      <Section title={text('roles')}>
        <Facts>
          {roles.map((role) => (
            <Fact key={role} name={role}>
              {text(role)}
            </Fact>
          ))}
        </Facts>
      </Section>
    </>
  )
}
