/** The commands of `vacancy keys`, and `vacancy secrets reseal`, an alias of `keys reseal`. */
import type { CommandGroup } from './command-group.ts'

export function addKeyCommands({ program, context, print, asJson, setExitCode }: CommandGroup) {
  const report = ({ facts, text, isComplete }: { facts: object; text: string; isComplete: boolean }) => {
    print().result(facts, text)
    if (!isComplete) setExitCode(1)
  }
  const reseal = async () => {
    const { resealSecrets } = await import('./keys.ts')
    report(await resealSecrets(context, asJson()))
  }
  const keys = program.command('keys').description('the keys that seal stored secrets')
  keys
    .command('status')
    .description('how many secrets each key has sealed, and which keys can be removed')
    .action(async () => {
      const { showKeys } = await import('./keys.ts')
      report(await showKeys(context))
    })
  const description = 'seal all stored secrets with the first of SECRET_KEYS, without downtime'
  keys.command('reseal').description(description).action(reseal)
  program
    .command('secrets')
    .description('stored credentials and addresses')
    .command('reseal')
    .description(description)
    .action(reseal)
}
