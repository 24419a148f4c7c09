import { defineMessages } from '../i18n/messages.ts'

export const sessionMessages = defineMessages({
  en: {
    title: 'Sign in · Vacancy',
    intro: 'Your units, prices, bookings and channels in one place.',
    signIn: 'Sign in',
    account: 'You sign in with your organization’s account.',
    providerUnreachable: 'The identity provider could not be reached. Try again in a moment.',
    sessionEnded: 'Your session has ended. Sign in again to continue where you were.',
    signInFailed: 'Signing in failed: {reason}',
    cannotStart: 'Vacancy cannot start',
    noAccess: 'Your account has no access',
    signOut: 'Sign out',
    tryAgain: 'Try again',
  },
  de: {
    title: 'Anmelden · Vacancy',
    intro: 'Ihre Einheiten, Preise, Buchungen und Kanäle an einem Ort.',
    signIn: 'Anmelden',
    account: 'Sie melden sich mit dem Konto Ihrer Organisation an.',
    providerUnreachable: 'Der Anmeldedienst ist nicht erreichbar. Versuchen Sie es gleich noch einmal.',
    sessionEnded: 'Ihre Sitzung ist beendet. Melden Sie sich erneut an, um fortzufahren.',
    signInFailed: 'Die Anmeldung ist fehlgeschlagen: {reason}',
    cannotStart: 'Vacancy kann nicht starten',
    noAccess: 'Ihr Konto hat keinen Zugang',
    signOut: 'Abmelden',
    tryAgain: 'Erneut versuchen',
  },
  pt: {
    title: 'Iniciar sessão · Vacancy',
    intro: 'As suas unidades, preços, reservas e canais num só lugar.',
    signIn: 'Iniciar sessão',
    account: 'Inicia sessão com a conta da sua organização.',
    providerUnreachable:
      'Não foi possível contactar o serviço de autenticação. Tente novamente dentro de momentos.',
    sessionEnded: 'A sua sessão terminou. Inicie sessão novamente para continuar onde estava.',
    signInFailed: 'Não foi possível iniciar sessão: {reason}',
    cannotStart: 'O Vacancy não consegue arrancar',
    noAccess: 'A sua conta não tem acesso',
    signOut: 'Terminar sessão',
    tryAgain: 'Tentar novamente',
  },
})
