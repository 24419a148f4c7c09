import { defineMessages } from './messages.ts'

/** What members are called by their role. */
export const roleMessages = defineMessages({
  en: {
    owner: 'Owner',
    admin: 'Administrator',
    manager: 'Manager',
    staff: 'Staff',
    viewer: 'Viewer',
    service: 'Service',
  },
  de: {
    owner: 'Eigentümer',
    admin: 'Administrator',
    manager: 'Verwalter',
    staff: 'Mitarbeiter',
    viewer: 'Leser',
    service: 'Dienst',
  },
  pt: {
    owner: 'Proprietário',
    admin: 'Administrador',
    manager: 'Gestor',
    staff: 'Equipa',
    viewer: 'Leitor',
    service: 'Serviço',
  },
})
