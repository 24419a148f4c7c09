import { languageOf, sayIn } from './locale.ts'
import { asHtml } from './mail-page.ts'
import type { Audience, NotificationKind } from './notification.ts'
import type { Story } from './stories.ts'
import type { Words } from './template.ts'
import { templateFor } from './templates.ts'

export interface Told {
  readonly kind: NotificationKind | 'test'
  readonly audience: Audience
  readonly locale: string
  readonly story: Story
}

export interface Rendered {
  readonly subject: string
  readonly html: string
  readonly text: string
  readonly sms: string
}

/** The message in every form, in the language of its reader. `link` leads to the console. */
export function render({ kind, audience, locale, story }: Told, link: string | null): Rendered {
  const { tone, words: speak } = templateFor(kind, audience)
  const language = languageOf(locale)
  const words = speak[language](story, sayIn(locale))
  const frame = { language, tone, organization: story.organization, link: audience === 'guest' ? null : link }
  return {
    subject: subjectOf(words),
    html: asHtml(words, frame),
    text: asText(words, story.organization, frame.link),
    sms: oneLine(words.short, mostSmsCharacters),
  }
}

/** Ten parts of an SMS at most, and what a provider takes at once. */
const mostSmsCharacters = 600

export const subjectOf = ({ subject }: Words) => oneLine(subject, 200)

/** What breaks lines or turns the direction of writing has no place in one line. */
const oneLine = (text: string, most: number) => {
  const line = text
    .replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
  const characters = [...line]
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line
}

function asText({ heading, paragraphs, facts }: Words, organization: string, link: string | null): string {
  return [
    heading.toUpperCase(),
    ...paragraphs,
    ...(facts.length > 0 ? [facts.map(([label, value]) => `${label}: ${value}`).join('\n')] : []),
    ...(link ? [link] : []),
    `-- \n${organization}`,
  ].join('\n\n')
}
