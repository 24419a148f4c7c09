// The commands of `vacancy keys`, and `vacancy secrets reseal`, which is the same as one of them.
import type { Command } from 'commander'
import { printer, type Surroundings } from './surroundings.ts'

interface Program {
  program: Command
  around: Surroundings
  asJson: () => boolean
  ends: (code: number) => void
}

export function describeKeys({ program, around, asJson, ends }: Program) {
  const answer = ({ facts, text, isWhole }: { facts: object; text: string; isWhole: boolean }) => {
    printer(around, asJson()).answer(facts, text)
    if (!isWhole) ends(1)
  }
  const reseal = async () => {
    const { resealSecrets } = await import('./reseal.ts')
    answer(await resealSecrets(around, asJson()))
  }
  const keys = program.command('keys').description('the keys that seal what is stored')
  keys
    .command('status')
    .description('which key has sealed how much, and which may go')
    .action(async () => {
      const { tellKeys } = await import('./keys.ts')
      answer(await tellKeys(around))
    })
  const sentence = 'seal all of them with the first of SECRET_KEYS, while everything works'
  keys.command('reseal').description(sentence).action(reseal)
  program
    .command('secrets')
    .description('credentials and addresses as they are stored')
    .command('reseal')
    .description(sentence)
    .action(reseal)
}
