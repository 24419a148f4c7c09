import type { AlertData, Template } from '../template.ts'
import { alertSubject, alertFacts } from './alert.ts'

export const bookingConflict: Template<AlertData> = {
  tone: 'bad',
  texts: {
    en: (data, format) => ({
      subject: `Booking conflict: ${alertSubject(data)}`,
      heading: 'Booking conflict',
      paragraphs: [
        'A booking arrived for nights that are not available, or for an unknown unit. It was not rejected: please decide what to do.',
      ],
      facts: alertFacts('en', data, format),
      short: `Booking conflict: ${alertSubject(data)}. ${data.message}`,
    }),
    de: (data, format) => ({
      subject: `Eine Buchung passt nicht: ${alertSubject(data)}`,
      heading: 'Eine Buchung passt nicht',
      paragraphs: [
        'Es kam eine Buchung für Nächte herein, die nicht frei sind, oder für eine unbekannte Unterkunft. Niemandem wurde deshalb abgesagt: Ein Mensch muss entscheiden.',
      ],
      facts: alertFacts('de', data, format),
      short: `Eine Buchung passt nicht: ${alertSubject(data)}. ${data.message}`,
    }),
    fr: (data, format) => ({
      subject: `Une réservation ne convient pas : ${alertSubject(data)}`,
      heading: 'Une réservation ne convient pas',
      paragraphs: [
        'Une réservation est arrivée pour des nuits qui ne sont pas libres ou pour un hébergement inconnu. Personne n’a été décommandé pour autant : quelqu’un doit décider.',
      ],
      facts: alertFacts('fr', data, format),
      short: `Une réservation ne convient pas : ${alertSubject(data)}. ${data.message}`,
    }),
    es: (data, format) => ({
      subject: `Una reserva no encaja: ${alertSubject(data)}`,
      heading: 'Una reserva no encaja',
      paragraphs: [
        'Ha llegado una reserva para noches que no están libres o para un alojamiento desconocido. No se ha cancelado a nadie por ello: alguien tiene que decidir.',
      ],
      facts: alertFacts('es', data, format),
      short: `Una reserva no encaja: ${alertSubject(data)}. ${data.message}`,
    }),
    pt: (data, format) => ({
      subject: `Há uma reserva em conflito: ${alertSubject(data)}`,
      heading: 'Há uma reserva em conflito',
      paragraphs: [
        'Chegou uma reserva para noites que não estão livres ou para um alojamento desconhecido. Ninguém foi cancelado por isso: alguém tem de decidir.',
      ],
      facts: alertFacts('pt', data, format),
      short: `Há uma reserva em conflito: ${alertSubject(data)}. ${data.message}`,
    }),
  },
}
