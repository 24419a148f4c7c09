import type { BookingStory } from '../stories.ts'
import type { Template } from '../template.ts'
import { placeOf, stayFacts } from './stay.ts'

export const bookingConfirmedToGuest: Template<BookingStory> = {
  tone: 'good',
  words: {
    en: (story, say) => ({
      subject: `Your stay at ${story.spaceName} is confirmed`,
      heading: 'Your stay is confirmed',
      paragraphs: [`Dear ${story.guestName},`, `we look forward to welcoming you at ${story.spaceName}.`],
      facts: stayFacts('en', story, say, 'guest'),
      short: `${story.organization}: your stay at ${placeOf(story)} is confirmed, ${say.day(story.checkIn)} to ${say.day(story.checkOut)}.`,
    }),
    de: (story, say) => ({
      subject: `Ihr Aufenthalt in ${story.spaceName} ist bestätigt`,
      heading: 'Ihr Aufenthalt ist bestätigt',
      paragraphs: [`Guten Tag ${story.guestName},`, `wir freuen uns, Sie in ${story.spaceName} zu begrüßen.`],
      facts: stayFacts('de', story, say, 'guest'),
      short: `${story.organization}: Ihr Aufenthalt in ${placeOf(story)} ist bestätigt, ${say.day(story.checkIn)} bis ${say.day(story.checkOut)}.`,
    }),
    fr: (story, say) => ({
      subject: `Votre séjour à ${story.spaceName} est confirmé`,
      heading: 'Votre séjour est confirmé',
      paragraphs: [
        `Bonjour ${story.guestName},`,
        `nous nous réjouissons de vous accueillir à ${story.spaceName}.`,
      ],
      facts: stayFacts('fr', story, say, 'guest'),
      short: `${story.organization} : votre séjour à ${placeOf(story)} est confirmé, du ${say.day(story.checkIn)} au ${say.day(story.checkOut)}.`,
    }),
    es: (story, say) => ({
      subject: `Su estancia en ${story.spaceName} está confirmada`,
      heading: 'Su estancia está confirmada',
      paragraphs: [
        `Estimado/a ${story.guestName}:`,
        `Será un placer darle la bienvenida en ${story.spaceName}.`,
      ],
      facts: stayFacts('es', story, say, 'guest'),
      short: `${story.organization}: su estancia en ${placeOf(story)} está confirmada, del ${say.day(story.checkIn)} al ${say.day(story.checkOut)}.`,
    }),
    pt: (story, say) => ({
      subject: `A sua estadia em ${story.spaceName} está confirmada`,
      heading: 'A sua estadia está confirmada',
      paragraphs: [
        `Estimado(a) ${story.guestName},`,
        `Será um prazer dar-lhe as boas-vindas em ${story.spaceName}.`,
      ],
      facts: stayFacts('pt', story, say, 'guest'),
      short: `${story.organization}: a sua estadia em ${placeOf(story)} está confirmada, de ${say.day(story.checkIn)} a ${say.day(story.checkOut)}.`,
    }),
  },
}

export const bookingConfirmedToOperator: Template<BookingStory> = {
  tone: 'good',
  words: {
    en: (story, say) => ({
      subject: `New booking: ${story.unitName}, ${say.day(story.checkIn)}`,
      heading: 'New booking',
      paragraphs: [`${story.guestName} has booked ${placeOf(story)}.`],
      facts: stayFacts('en', story, say, 'operator'),
      short: `New booking: ${story.guestName}, ${placeOf(story)}, ${say.day(story.checkIn)} to ${say.day(story.checkOut)}.`,
    }),
    de: (story, say) => ({
      subject: `Neue Buchung: ${story.unitName}, ${say.day(story.checkIn)}`,
      heading: 'Neue Buchung',
      paragraphs: [`${story.guestName} hat ${placeOf(story)} gebucht.`],
      facts: stayFacts('de', story, say, 'operator'),
      short: `Neue Buchung: ${story.guestName}, ${placeOf(story)}, ${say.day(story.checkIn)} bis ${say.day(story.checkOut)}.`,
    }),
    fr: (story, say) => ({
      subject: `Nouvelle réservation : ${story.unitName}, ${say.day(story.checkIn)}`,
      heading: 'Nouvelle réservation',
      paragraphs: [`${story.guestName} a réservé ${placeOf(story)}.`],
      facts: stayFacts('fr', story, say, 'operator'),
      short: `Nouvelle réservation : ${story.guestName}, ${placeOf(story)}, du ${say.day(story.checkIn)} au ${say.day(story.checkOut)}.`,
    }),
    es: (story, say) => ({
      subject: `Nueva reserva: ${story.unitName}, ${say.day(story.checkIn)}`,
      heading: 'Nueva reserva',
      paragraphs: [`${story.guestName} ha reservado ${placeOf(story)}.`],
      facts: stayFacts('es', story, say, 'operator'),
      short: `Nueva reserva: ${story.guestName}, ${placeOf(story)}, del ${say.day(story.checkIn)} al ${say.day(story.checkOut)}.`,
    }),
    pt: (story, say) => ({
      subject: `Nova reserva: ${story.unitName}, ${say.day(story.checkIn)}`,
      heading: 'Nova reserva',
      paragraphs: [`${story.guestName} reservou ${placeOf(story)}.`],
      facts: stayFacts('pt', story, say, 'operator'),
      short: `Nova reserva: ${story.guestName}, ${placeOf(story)}, de ${say.day(story.checkIn)} a ${say.day(story.checkOut)}.`,
    }),
  },
}
