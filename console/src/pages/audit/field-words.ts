import { defineMessages } from '../../i18n/messages.ts'
import { settingWords } from './setting-words.ts'
import { stayWords } from './stay-words.ts'

/** The members of records, as people call them. */
export const fieldWords = defineMessages({
  en: { ...settingWords.en, ...stayWords.en },
  de: { ...settingWords.de, ...stayWords.de },
  pt: { ...settingWords.pt, ...stayWords.pt },
})
