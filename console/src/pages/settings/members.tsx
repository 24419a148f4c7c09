import { useMemo } from 'react'
import { listMembers } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import type { Column } from '../../components/record-columns.ts'
import { RecordTable } from '../../components/record-table.tsx'
import { Fact, Facts, Section } from '../../components/section.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { roleMessages } from '../../i18n/role-messages.ts'
import { useCaller } from '../../session/api.tsx'
import { ChangedBy } from './command.tsx'
import { settingsMessages } from './messages.ts'
import styles from './settings.module.css'

const roles = ['owner', 'admin', 'manager', 'staff', 'viewer', 'service'] as const

/** Who is signed in, what each role is for, and how members are changed. */
export const Members = () => {
  const text = useMessages(settingsMessages)
  const roleText = useMessages(roleMessages)
  const { caller, may } = useCaller()
  const id = caller?.organization.id ?? ''
  return (
    <>
      <Section title={text('members')}>
        <Facts>
          <Fact name={text('you')} note={caller?.user.email}>
            {caller?.user.name ?? caller?.user.email}
          </Fact>
          <Fact name={text('yourRole')}>{caller && roleText(caller.role)}</Fact>
        </Facts>
        <p className={styles.quiet}>{text('membersText')}</p>
        <ChangedBy>{`npx vacancy member list --org ${id}
npx vacancy member add --org ${id} --email ana@example.com --role manager
npx vacancy member role --org ${id} --email ana@example.com --role staff
npx vacancy member remove --org ${id} --email ana@example.com`}</ChangedBy>
      </Section>
      {may('members:read') && <MemberTable />}
      <Section title={text('roles')}>
        <Facts>
          {roles.map((role) => (
            <Fact key={role} name={roleText(role)} note={<code>{role}</code>}>
              {text(role)}
            </Fact>
          ))}
        </Facts>
      </Section>
    </>
  )
}

const MemberTable = () => {
  const text = useMessages(settingsMessages)
  const roleText = useMessages(roleMessages)
  const format = useFormat()
  const list = useRecords(listMembers)
  const columns = useMemo(
    (): Column<contract.Member>[] => [
      { id: 'name', header: text('name'), cell: ({ name, email }) => name ?? email },
      { id: 'email', header: text('email'), width: 'minmax(180px, 1.6fr)', cell: ({ email }) => email },
      { id: 'role', header: text('role'), width: '110px', phone: 'end', cell: ({ role }) => roleText(role) },
      {
        id: 'since',
        header: text('since'),
        width: '172px',
        cell: ({ created_at }) => format.dayTime(created_at),
      },
    ],
    [text, roleText, format],
  )
  return (
    <div className={styles.members}>
      <RecordTable
        label={text('memberList')}
        columns={columns}
        list={list}
        empty={<p className={styles.quiet}>{text('noMembers')}</p>}
      />
    </div>
  )
}
