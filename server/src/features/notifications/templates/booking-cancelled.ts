import type { BookingStory } from '../stories.ts'
import type { Template } from '../template.ts'
import { placeOf, stayFacts } from './stay.ts'

export const bookingCancelledToGuest: Template<BookingStory> = {
  tone: 'plain',
  words: {
    en: (story, say) => ({
      subject: `Your stay at ${story.spaceName} is cancelled`,
      heading: 'Your stay is cancelled',
      paragraphs: [
        `Dear ${story.guestName},`,
        'your booking was cancelled. If you did not expect this, please contact your host.',
      ],
      facts: stayFacts('en', story, say, 'guest'),
      short: `${story.organization}: your stay at ${placeOf(story)} from ${say.day(story.checkIn)} is cancelled.`,
    }),
    de: (story, say) => ({
      subject: `Ihr Aufenthalt in ${story.spaceName} ist storniert`,
      heading: 'Ihr Aufenthalt ist storniert',
      paragraphs: [
        `Guten Tag ${story.guestName},`,
        'Ihre Buchung wurde storniert. Falls Sie das nicht erwartet haben, melden Sie sich bitte bei Ihrer Gastgeberin oder Ihrem Gastgeber.',
      ],
      facts: stayFacts('de', story, say, 'guest'),
      short: `${story.organization}: Ihr Aufenthalt in ${placeOf(story)} ab ${say.day(story.checkIn)} ist storniert.`,
    }),
    fr: (story, say) => ({
      subject: `Votre séjour à ${story.spaceName} est annulé`,
      heading: 'Votre séjour est annulé',
      paragraphs: [
        `Bonjour ${story.guestName},`,
        'votre réservation a été annulée. Si vous ne vous y attendiez pas, veuillez contacter votre hôte.',
      ],
      facts: stayFacts('fr', story, say, 'guest'),
      short: `${story.organization} : votre séjour à ${placeOf(story)} à partir du ${say.day(story.checkIn)} est annulé.`,
    }),
    es: (story, say) => ({
      subject: `Su estancia en ${story.spaceName} está cancelada`,
      heading: 'Su estancia está cancelada',
      paragraphs: [
        `Estimado/a ${story.guestName}:`,
        'Su reserva se ha cancelado. Si no lo esperaba, póngase en contacto con su anfitrión.',
      ],
      facts: stayFacts('es', story, say, 'guest'),
      short: `${story.organization}: su estancia en ${placeOf(story)} desde el ${say.day(story.checkIn)} está cancelada.`,
    }),
    pt: (story, say) => ({
      subject: `A sua estadia em ${story.spaceName} foi cancelada`,
      heading: 'A sua estadia foi cancelada',
      paragraphs: [
        `Estimado(a) ${story.guestName},`,
        'A sua reserva foi cancelada. Se não contava com este cancelamento, contacte, por favor, o alojamento.',
      ],
      facts: stayFacts('pt', story, say, 'guest'),
      short: `${story.organization}: a sua estadia em ${placeOf(story)} a partir de ${say.day(story.checkIn)} foi cancelada.`,
    }),
  },
}

export const bookingCancelledToOperator: Template<BookingStory> = {
  tone: 'plain',
  words: {
    en: (story, say) => ({
      subject: `Booking cancelled: ${story.unitName}, ${say.day(story.checkIn)}`,
      heading: 'Booking cancelled',
      paragraphs: [`The booking of ${story.guestName} was cancelled. Its nights are free again.`],
      facts: stayFacts('en', story, say, 'operator'),
      short: `Booking cancelled: ${story.guestName}, ${placeOf(story)}, ${say.day(story.checkIn)} to ${say.day(story.checkOut)}.`,
    }),
    de: (story, say) => ({
      subject: `Buchung storniert: ${story.unitName}, ${say.day(story.checkIn)}`,
      heading: 'Buchung storniert',
      paragraphs: [`Die Buchung von ${story.guestName} wurde storniert. Die Nächte sind wieder frei.`],
      facts: stayFacts('de', story, say, 'operator'),
      short: `Buchung storniert: ${story.guestName}, ${placeOf(story)}, ${say.day(story.checkIn)} bis ${say.day(story.checkOut)}.`,
    }),
    fr: (story, say) => ({
      subject: `Réservation annulée : ${story.unitName}, ${say.day(story.checkIn)}`,
      heading: 'Réservation annulée',
      paragraphs: [
        `La réservation de ${story.guestName} a été annulée. Les nuits sont de nouveau disponibles.`,
      ],
      facts: stayFacts('fr', story, say, 'operator'),
      short: `Réservation annulée : ${story.guestName}, ${placeOf(story)}, du ${say.day(story.checkIn)} au ${say.day(story.checkOut)}.`,
    }),
    es: (story, say) => ({
      subject: `Reserva cancelada: ${story.unitName}, ${say.day(story.checkIn)}`,
      heading: 'Reserva cancelada',
      paragraphs: [`La reserva de ${story.guestName} se ha cancelado. Las noches vuelven a estar libres.`],
      facts: stayFacts('es', story, say, 'operator'),
      short: `Reserva cancelada: ${story.guestName}, ${placeOf(story)}, del ${say.day(story.checkIn)} al ${say.day(story.checkOut)}.`,
    }),
    pt: (story, say) => ({
      subject: `Reserva cancelada: ${story.unitName}, ${say.day(story.checkIn)}`,
      heading: 'Reserva cancelada',
      paragraphs: [`A reserva de ${story.guestName} foi cancelada. As noites estão novamente livres.`],
      facts: stayFacts('pt', story, say, 'operator'),
      short: `Reserva cancelada: ${story.guestName}, ${placeOf(story)}, de ${say.day(story.checkIn)} a ${say.day(story.checkOut)}.`,
    }),
  },
}
