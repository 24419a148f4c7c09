import type { AlertData, Template } from '../template.ts'
import { alertSubject, alertFacts } from './alert.ts'

export const calendarImportHeld: Template<AlertData> = {
  tone: 'bad',
  texts: {
    en: (data, format) => ({
      subject: `Many nights are missing from an imported calendar: ${alertSubject(data)}`,
      heading: 'Many nights are missing from an imported calendar',
      paragraphs: [
        'More than half of the nights that an imported calendar blocked are missing from it. They stay blocked for now: please check whether they are really free.',
      ],
      facts: alertFacts('en', data, format),
      short: `Many nights are missing from an imported calendar: ${alertSubject(data)}. ${data.message}`,
    }),
    de: (data, format) => ({
      subject: `In einem importierten Kalender fehlen viele Nächte: ${alertSubject(data)}`,
      heading: 'In einem importierten Kalender fehlen viele Nächte',
      paragraphs: [
        'Mehr als die Hälfte der Nächte, die ein importierter Kalender belegt hat, fehlt plötzlich. Sie bleiben vorerst belegt: Bitte prüfen Sie, ob sie wirklich frei sind.',
      ],
      facts: alertFacts('de', data, format),
      short: `In einem importierten Kalender fehlen viele Nächte: ${alertSubject(data)}. ${data.message}`,
    }),
    fr: (data, format) => ({
      subject: `Il manque beaucoup de nuits dans un calendrier importé : ${alertSubject(data)}`,
      heading: 'Il manque beaucoup de nuits dans un calendrier importé',
      paragraphs: [
        'Plus de la moitié des nuits qu’un calendrier importé bloquait ont soudain disparu. Elles restent bloquées pour le moment : veuillez vérifier si elles sont vraiment libres.',
      ],
      facts: alertFacts('fr', data, format),
      short: `Il manque beaucoup de nuits dans un calendrier importé : ${alertSubject(data)}. ${data.message}`,
    }),
    es: (data, format) => ({
      subject: `Faltan muchas noches en un calendario importado: ${alertSubject(data)}`,
      heading: 'Faltan muchas noches en un calendario importado',
      paragraphs: [
        'Más de la mitad de las noches que bloqueaba un calendario importado han desaparecido de repente. De momento siguen bloqueadas: compruebe si están realmente libres.',
      ],
      facts: alertFacts('es', data, format),
      short: `Faltan muchas noches en un calendario importado: ${alertSubject(data)}. ${data.message}`,
    }),
    pt: (data, format) => ({
      subject: `Faltam muitas noites num calendário importado: ${alertSubject(data)}`,
      heading: 'Faltam muitas noites num calendário importado',
      paragraphs: [
        'Mais de metade das noites que um calendário importado bloqueava desapareceu de repente. Por agora continuam bloqueadas: verifique se estão mesmo livres.',
      ],
      facts: alertFacts('pt', data, format),
      short: `Faltam muitas noites num calendário importado: ${alertSubject(data)}. ${data.message}`,
    }),
  },
}
