import { alertTemplate } from './alert.ts'

export const calendarImportHeld = alertTemplate({
  en: [
    'Many nights are missing from an imported calendar',
    'More than half of the nights that an imported calendar blocked are missing from it. They stay blocked for now: please check whether they are really free.',
  ],
  de: [
    'In einem importierten Kalender fehlen viele Nächte',
    'Mehr als die Hälfte der Nächte, die ein importierter Kalender belegt hat, fehlt plötzlich. Sie bleiben vorerst belegt: Bitte prüfen Sie, ob sie wirklich frei sind.',
  ],
  fr: [
    'Il manque beaucoup de nuits dans un calendrier importé',
    'Plus de la moitié des nuits qu’un calendrier importé bloquait ont soudain disparu. Elles restent bloquées pour le moment : veuillez vérifier si elles sont vraiment libres.',
  ],
  es: [
    'Faltan muchas noches en un calendario importado',
    'Más de la mitad de las noches que bloqueaba un calendario importado han desaparecido de repente. De momento siguen bloqueadas: compruebe si están realmente libres.',
  ],
  pt: [
    'Faltam muitas noites num calendário importado',
    'Mais de metade das noites que um calendário importado bloqueava desapareceu de repente. Por agora continuam bloqueadas: verifique se estão mesmo livres.',
  ],
})
