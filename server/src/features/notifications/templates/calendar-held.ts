import type { AlertStory } from '../stories.ts'
import type { Template } from '../template.ts'
import { aboutOf, alertFacts } from './alert.ts'

export const calendarHeld: Template<AlertStory> = {
  tone: 'bad',
  words: {
    en: (story, say) => ({
      subject: `An imported calendar lacks many nights: ${aboutOf(story)}`,
      heading: 'An imported calendar lacks many nights',
      paragraphs: [
        'More than half of the nights that an imported calendar blocked are suddenly missing from it. They stay blocked for now: please look whether they are really free.',
      ],
      facts: alertFacts('en', story, say),
      short: `An imported calendar lacks many nights: ${aboutOf(story)}. ${story.message}`,
    }),
    de: (story, say) => ({
      subject: `In einem importierten Kalender fehlen viele Nächte: ${aboutOf(story)}`,
      heading: 'In einem importierten Kalender fehlen viele Nächte',
      paragraphs: [
        'Mehr als die Hälfte der Nächte, die ein importierter Kalender belegt hat, fehlt plötzlich. Sie bleiben vorerst belegt: Bitte prüfen Sie, ob sie wirklich frei sind.',
      ],
      facts: alertFacts('de', story, say),
      short: `In einem importierten Kalender fehlen viele Nächte: ${aboutOf(story)}. ${story.message}`,
    }),
    fr: (story, say) => ({
      subject: `Il manque beaucoup de nuits dans un calendrier importé : ${aboutOf(story)}`,
      heading: 'Il manque beaucoup de nuits dans un calendrier importé',
      paragraphs: [
        'Plus de la moitié des nuits qu’un calendrier importé bloquait ont soudain disparu. Elles restent bloquées pour le moment : veuillez vérifier si elles sont vraiment libres.',
      ],
      facts: alertFacts('fr', story, say),
      short: `Il manque beaucoup de nuits dans un calendrier importé : ${aboutOf(story)}. ${story.message}`,
    }),
    es: (story, say) => ({
      subject: `Faltan muchas noches en un calendario importado: ${aboutOf(story)}`,
      heading: 'Faltan muchas noches en un calendario importado',
      paragraphs: [
        'Más de la mitad de las noches que bloqueaba un calendario importado han desaparecido de repente. De momento siguen bloqueadas: compruebe si están realmente libres.',
      ],
      facts: alertFacts('es', story, say),
      short: `Faltan muchas noches en un calendario importado: ${aboutOf(story)}. ${story.message}`,
    }),
    pt: (story, say) => ({
      subject: `Faltam muitas noites num calendário importado: ${aboutOf(story)}`,
      heading: 'Faltam muitas noites num calendário importado',
      paragraphs: [
        'Mais de metade das noites que um calendário importado bloqueava desapareceu de repente. Por agora continuam bloqueadas: verifique se estão mesmo livres.',
      ],
      facts: alertFacts('pt', story, say),
      short: `Faltam muitas noites num calendário importado: ${aboutOf(story)}. ${story.message}`,
    }),
  },
}
