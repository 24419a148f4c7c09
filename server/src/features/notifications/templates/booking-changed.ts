import type { BookingStory } from '../stories.ts'
import type { Template } from '../template.ts'
import { placeOf, stayFacts } from './stay.ts'

export const bookingChangedToGuest: Template<BookingStory> = {
  tone: 'plain',
  words: {
    en: (story, say) => ({
      subject: `Your stay at ${story.spaceName} has changed`,
      heading: 'Your stay has changed',
      paragraphs: [`Dear ${story.guestName},`, 'your booking was changed. This is how it stands now.'],
      facts: stayFacts('en', story, say, 'guest'),
      short: `${story.organization}: your stay at ${placeOf(story)} has changed, now ${say.day(story.checkIn)} to ${say.day(story.checkOut)}.`,
    }),
    de: (story, say) => ({
      subject: `Ihr Aufenthalt in ${story.spaceName} wurde geändert`,
      heading: 'Ihr Aufenthalt wurde geändert',
      paragraphs: [`Guten Tag ${story.guestName},`, 'Ihre Buchung wurde geändert. So lautet sie jetzt.'],
      facts: stayFacts('de', story, say, 'guest'),
      short: `${story.organization}: Ihr Aufenthalt in ${placeOf(story)} wurde geändert, jetzt ${say.day(story.checkIn)} bis ${say.day(story.checkOut)}.`,
    }),
    fr: (story, say) => ({
      subject: `Votre séjour à ${story.spaceName} a été modifié`,
      heading: 'Votre séjour a été modifié',
      paragraphs: [
        `Bonjour ${story.guestName},`,
        'votre réservation a été modifiée. Voici ce qui est désormais prévu.',
      ],
      facts: stayFacts('fr', story, say, 'guest'),
      short: `${story.organization} : votre séjour à ${placeOf(story)} a été modifié, désormais du ${say.day(story.checkIn)} au ${say.day(story.checkOut)}.`,
    }),
    es: (story, say) => ({
      subject: `Su estancia en ${story.spaceName} ha cambiado`,
      heading: 'Su estancia ha cambiado',
      paragraphs: [
        `Estimado/a ${story.guestName}:`,
        'Su reserva se ha modificado. Así queda a partir de ahora.',
      ],
      facts: stayFacts('es', story, say, 'guest'),
      short: `${story.organization}: su estancia en ${placeOf(story)} ha cambiado, ahora del ${say.day(story.checkIn)} al ${say.day(story.checkOut)}.`,
    }),
    pt: (story, say) => ({
      subject: `A sua estadia em ${story.spaceName} foi alterada`,
      heading: 'A sua estadia foi alterada',
      paragraphs: [
        `Estimado(a) ${story.guestName},`,
        'A sua reserva foi alterada. Estes são os dados atualizados.',
      ],
      facts: stayFacts('pt', story, say, 'guest'),
      short: `${story.organization}: a sua estadia em ${placeOf(story)} foi alterada, agora de ${say.day(story.checkIn)} a ${say.day(story.checkOut)}.`,
    }),
  },
}

export const bookingChangedToOperator: Template<BookingStory> = {
  tone: 'plain',
  words: {
    en: (story, say) => ({
      subject: `Booking changed: ${story.unitName}, ${say.day(story.checkIn)}`,
      heading: 'Booking changed',
      paragraphs: [`The booking of ${story.guestName} was changed. This is how it stands now.`],
      facts: stayFacts('en', story, say, 'operator'),
      short: `Booking changed: ${story.guestName}, ${placeOf(story)}, now ${say.day(story.checkIn)} to ${say.day(story.checkOut)}.`,
    }),
    de: (story, say) => ({
      subject: `Buchung geändert: ${story.unitName}, ${say.day(story.checkIn)}`,
      heading: 'Buchung geändert',
      paragraphs: [`Die Buchung von ${story.guestName} wurde geändert. So lautet sie jetzt.`],
      facts: stayFacts('de', story, say, 'operator'),
      short: `Buchung geändert: ${story.guestName}, ${placeOf(story)}, jetzt ${say.day(story.checkIn)} bis ${say.day(story.checkOut)}.`,
    }),
    fr: (story, say) => ({
      subject: `Réservation modifiée : ${story.unitName}, ${say.day(story.checkIn)}`,
      heading: 'Réservation modifiée',
      paragraphs: [`La réservation de ${story.guestName} a été modifiée. Voici ce qui est désormais prévu.`],
      facts: stayFacts('fr', story, say, 'operator'),
      short: `Réservation modifiée : ${story.guestName}, ${placeOf(story)}, désormais du ${say.day(story.checkIn)} au ${say.day(story.checkOut)}.`,
    }),
    es: (story, say) => ({
      subject: `Reserva modificada: ${story.unitName}, ${say.day(story.checkIn)}`,
      heading: 'Reserva modificada',
      paragraphs: [`La reserva de ${story.guestName} se ha modificado. Así queda a partir de ahora.`],
      facts: stayFacts('es', story, say, 'operator'),
      short: `Reserva modificada: ${story.guestName}, ${placeOf(story)}, ahora del ${say.day(story.checkIn)} al ${say.day(story.checkOut)}.`,
    }),
    pt: (story, say) => ({
      subject: `Reserva alterada: ${story.unitName}, ${say.day(story.checkIn)}`,
      heading: 'Reserva alterada',
      paragraphs: [`A reserva de ${story.guestName} foi alterada. Estes são os dados atualizados.`],
      facts: stayFacts('pt', story, say, 'operator'),
      short: `Reserva alterada: ${story.guestName}, ${placeOf(story)}, agora de ${say.day(story.checkIn)} a ${say.day(story.checkOut)}.`,
    }),
  },
}
