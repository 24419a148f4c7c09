import type { AlertData, Template } from '../template.ts'
import { alertFacts } from './alert.ts'

export const identityConflict: Template<AlertData> = {
  tone: 'bad',
  facts: alertFacts,
  texts: {
    en: (data) => ({
      subject: `Somebody else tried to sign in with the e-mail address of a member: ${data.organization}`,
      heading: 'A sign-in was rejected',
      paragraphs: [
        'Somebody with another account tried to sign in with the e-mail address of a member. Access was denied.',
      ],
      short: `A sign-in was rejected. ${data.message}`,
    }),
    de: (data) => ({
      subject: `Jemand anderes hat sich mit der Adresse eines Mitglieds angemeldet: ${data.organization}`,
      heading: 'Eine Anmeldung wurde abgelehnt',
      paragraphs: [
        'Jemand mit einem anderen Konto wollte sich mit der E-Mail-Adresse eines Mitglieds anmelden. Der Zugang wurde verweigert.',
      ],
      short: `Eine Anmeldung wurde abgelehnt. ${data.message}`,
    }),
    fr: (data) => ({
      subject: `Une autre personne s’est connectée avec l’adresse d’un membre : ${data.organization}`,
      heading: 'Une connexion a été refusée',
      paragraphs: [
        'Une personne disposant d’un autre compte a tenté de se connecter avec l’adresse e-mail d’un membre. Aucun accès ne lui a été accordé.',
      ],
      short: `Une connexion a été refusée. ${data.message}`,
    }),
    es: (data) => ({
      subject: `Otra persona ha iniciado sesión con la dirección de un miembro: ${data.organization}`,
      heading: 'Se ha rechazado un inicio de sesión',
      paragraphs: [
        'Una persona con otra cuenta ha intentado iniciar sesión con la dirección de correo de un miembro. No se le ha dado acceso.',
      ],
      short: `Se ha rechazado un inicio de sesión. ${data.message}`,
    }),
    pt: (data) => ({
      subject: `Outra pessoa iniciou sessão com o endereço de um membro: ${data.organization}`,
      heading: 'Um início de sessão foi recusado',
      paragraphs: [
        'Uma pessoa com outra conta tentou iniciar sessão com o endereço de e-mail de um membro. Não lhe foi dado acesso.',
      ],
      short: `Um início de sessão foi recusado. ${data.message}`,
    }),
  },
}
