import type { Language, Say } from '../locale.ts'
import type { AlertStory } from '../stories.ts'

const labels: Record<
  Language,
  readonly [unit: string, target: string, since: string, message: string, hint: string]
> = {
  en: ['Accommodation', 'Connection', 'Since', 'What is wrong', 'What helps'],
  de: ['Unterkunft', 'Anbindung', 'Seit', 'Was nicht stimmt', 'Was hilft'],
  fr: ['Hébergement', 'Connexion', 'Depuis', 'Ce qui ne va pas', 'Ce qui aide'],
  es: ['Alojamiento', 'Conexión', 'Desde', 'Qué falla', 'Qué ayuda'],
  pt: ['Alojamento', 'Ligação', 'Desde', 'O que se passa', 'O que fazer'],
}

/** What is wrong with what. The message and the hint are in the words of whoever found it. */
export function alertFacts(language: Language, story: AlertStory, say: Say): (readonly [string, string])[] {
  const [unit, target, since, message, hint] = labels[language]
  return [
    ...(story.unitName
      ? [[unit, [story.unitName, story.spaceName].filter(Boolean).join(', ')] as const]
      : []),
    ...(story.targetName ? [[target, story.targetName] as const] : []),
    [since, say.moment(story.since)],
    [message, story.message],
    [hint, story.hint],
  ]
}

/** What it is about, for a subject: the unit, else the connection. */
export const aboutOf = ({ unitName, targetName, organization }: AlertStory) =>
  unitName ?? targetName ?? organization
