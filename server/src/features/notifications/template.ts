import type { Language, Say } from './locale.ts'

/** What a message says, before it is dressed as mail or SMS. All of it is plain text. */
export interface Words {
  readonly subject: string
  readonly heading: string
  readonly paragraphs: readonly string[]
  readonly facts: readonly (readonly [label: string, value: string])[]
  /** For an SMS: all in one or two sentences. */
  readonly short: string
}

export type Tone = 'good' | 'plain' | 'bad'

export type Speak<Story> = (story: Story, say: Say) => Words

/** One kind of message for one audience, in every language. */
export interface Template<Story> {
  readonly tone: Tone
  readonly words: Readonly<Record<Language, Speak<Story>>>
}
