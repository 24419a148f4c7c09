/** The commands of shell completion. */
import { Argument, type Command } from 'commander'
import type { CommandGroup } from './command-group.ts'

export function addCompletionCommands({ program, context }: CommandGroup): void {
  program
    .command('completion')
    .description('print a script that completes commands and options with the tab key')
    .addArgument(new Argument('<shell>').choices(Object.keys(scripts)))
    .addHelpText('after', '\nIn ~/.bashrc: source <(vacancy completion bash)')
    .action((shell: keyof typeof scripts) => void context.out.write(`${scripts[shell]}\n`))
}

/** The scripts call this command with the words so far. It is not part of the help. */
export const completeCommand = 'complete-words'

/** What may stand in the place of the last word. */
export function completionsOf(program: Command, words: readonly string[]): string[] {
  const last = words.at(-1) ?? ''
  let command = program
  let option: string | undefined
  for (const word of words.slice(0, -1)) {
    const inner = command.commands.find((one) => one.name() === word || one.aliases().includes(word))
    if (inner) command = inner
    option = word.startsWith('-') ? word : undefined
  }
  const options = [...command.options, ...program.options]
  const open = options.find(
    ({ long, short }) => option !== undefined && (long === option || short === option),
  )
  const candidates =
    open && (open.required || open.optional)
      ? (open.argChoices ?? [])
      : last.startsWith('-')
        ? options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? '')
        : [
            ...command.commands.map((one) => one.name()),
            ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
          ]
  return candidates.filter((candidate) => candidate.startsWith(last))
}

const scripts = {
  bash: `_vacancy() {
  local IFS=$'\\n'
  COMPREPLY=($(vacancy ${completeCommand} -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _vacancy vacancy`,
  zsh: `#compdef vacancy
_vacancy() {
  local -a found
  found=("\${(@f)$(vacancy ${completeCommand} -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  (( \${#found[1]} )) && compadd -a found || _files
}
compdef _vacancy vacancy`,
  fish: `complete -c vacancy -f -a '(vacancy ${completeCommand} -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
} as const
