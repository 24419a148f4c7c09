import type { AlertStory } from '../stories.ts'
import type { Template } from '../template.ts'
import { alertFacts } from './alert.ts'

export const identityConflict: Template<AlertStory> = {
  tone: 'bad',
  words: {
    en: (story, say) => ({
      subject: `Somebody else signed in with the e-mail address of a member: ${story.organization}`,
      heading: 'A sign-in was refused',
      paragraphs: [
        'Somebody with another account tried to sign in with the e-mail address of a member. They were given no access.',
      ],
      facts: alertFacts('en', story, say),
      short: `A sign-in was refused. ${story.message}`,
    }),
    de: (story, say) => ({
      subject: `Jemand anderes hat sich mit der Adresse eines Mitglieds angemeldet: ${story.organization}`,
      heading: 'Eine Anmeldung wurde abgelehnt',
      paragraphs: [
        'Jemand mit einem anderen Konto wollte sich mit der E-Mail-Adresse eines Mitglieds anmelden. Der Zugang wurde verweigert.',
      ],
      facts: alertFacts('de', story, say),
      short: `Eine Anmeldung wurde abgelehnt. ${story.message}`,
    }),
    fr: (story, say) => ({
      subject: `Une autre personne s’est connectée avec l’adresse d’un membre : ${story.organization}`,
      heading: 'Une connexion a été refusée',
      paragraphs: [
        'Une personne disposant d’un autre compte a tenté de se connecter avec l’adresse e-mail d’un membre. Aucun accès ne lui a été accordé.',
      ],
      facts: alertFacts('fr', story, say),
      short: `Une connexion a été refusée. ${story.message}`,
    }),
    es: (story, say) => ({
      subject: `Otra persona ha iniciado sesión con la dirección de un miembro: ${story.organization}`,
      heading: 'Se ha rechazado un inicio de sesión',
      paragraphs: [
        'Una persona con otra cuenta ha intentado iniciar sesión con la dirección de correo de un miembro. No se le ha dado acceso.',
      ],
      facts: alertFacts('es', story, say),
      short: `Se ha rechazado un inicio de sesión. ${story.message}`,
    }),
    pt: (story, say) => ({
      subject: `Outra pessoa iniciou sessão com o endereço de um membro: ${story.organization}`,
      heading: 'Um início de sessão foi recusado',
      paragraphs: [
        'Uma pessoa com outra conta tentou iniciar sessão com o endereço de e-mail de um membro. Não lhe foi dado acesso.',
      ],
      facts: alertFacts('pt', story, say),
      short: `Um início de sessão foi recusado. ${story.message}`,
    }),
  },
}
