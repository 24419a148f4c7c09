/** The commands of `vacancy guest`: export and erase the data of a guest. */
import { Option } from 'commander'
import { withApiOptions, type CommandGroup } from './command-group.ts'
import type { ApiOptions } from './api-client.ts'
import { CommandError } from './command-error.ts'
import type { GuestSelector } from './guest.ts'

type Options = ApiOptions & GuestSelector & { wait: boolean }

export function addGuestCommands({ program, context, print, setExitCode, roles }: CommandGroup) {
  const guest = program.command('guest').description('the data of guests')
  const command = (name: string, description: string) =>
    withApiOptions(guest.command(name), roles)
      .description(description)
      .addOption(
        new Option('--email <email>', 'all bookings with this address').conflicts(['phone', 'booking']),
      )
      .addOption(new Option('--phone <phone>', 'all bookings with this number').conflicts(['booking']))
      .option('--booking <id>', 'one booking and the messages about it')
  command('export', 'print all data of a guest as JSON').action(async (options: Options) => {
    assertGuestNamed(options)
    const { exportGuest } = await import('./guest.ts')
    context.out.write(`${await exportGuest(context, options)}\n`)
  })
  command('erase', 'erase the data of a guest and wait until it is done; this cannot be undone')
    .option('--no-wait', 'do not wait')
    .action(async (options: Options) => {
      assertGuestNamed(options)
      const { eraseGuest } = await import('./guest.ts')
      const [facts, text, isDone] = await eraseGuest(context, options)
      print().result(facts, text)
      if (!isDone && options.wait) setExitCode(1)
    })
  guest
    .command('replay-erasures')
    .description('after restoring a backup: repeat the erasures made since')
    .option('--journal <file>', 'the journal (default: guest-erasures.jsonl in VACANCY_HOME)')
    .action(async ({ journal }: { journal?: string }) => {
      const { replayErasures } = await import('./guest-replay.ts')
      print().result(...(await replayErasures(context, journal)))
    })
}

function assertGuestNamed({ email, phone, booking }: GuestSelector): void {
  if (!email && !phone && !booking)
    throw new CommandError('usage', 'Select the guest with --email, --phone or --booking.')
}
