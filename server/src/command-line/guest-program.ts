// The commands of `vacancy guest`: what is held of a guest, having one forgotten, and keeping it so after a restore.
import { Option, type Command } from 'commander'
import { withAccess } from './access-options.ts'
import type { Access } from './call-api.ts'
import { CommandFailure } from './command-failure.ts'
import type { Named } from './guest.ts'
import { printer, type Surroundings } from './surroundings.ts'

interface Program {
  program: Command
  around: Surroundings
  asJson: () => boolean
  ends: (code: number) => void
  roles: readonly string[]
}

type Options = Access & Named & { wait: boolean }

export function describeGuests({ program, around, asJson, ends, roles }: Program) {
  const guest = program.command('guest').description("guests' data")
  const command = (name: string, description: string) =>
    withAccess(guest.command(name), roles)
      .description(description)
      .addOption(
        new Option('--email <email>', 'all bookings with this address').conflicts(['phone', 'booking']),
      )
      .addOption(new Option('--phone <phone>', 'all bookings with this number').conflicts(['booking']))
      .option('--booking <id>', 'one booking, and what tells of it')
  command('export', 'print all that is held of a guest, as JSON').action(async (options: Options) => {
    refuseNobody(options)
    const { exportGuest } = await import('./guest.ts')
    around.out.write(`${await exportGuest(around, options)}\n`)
  })
  command('erase', 'have a guest forgotten, and wait until it is done; nothing undoes it')
    .option('--no-wait', 'do not wait')
    .action(async (options: Options) => {
      refuseNobody(options)
      const { eraseGuest } = await import('./guest.ts')
      const [facts, text, isDone] = await eraseGuest(around, options)
      printer(around, asJson()).answer(facts, text)
      if (!isDone && options.wait) ends(1)
    })
  guest
    .command('replay-erasures')
    .description('after a database was restored: have everybody forgotten again who was forgotten before')
    .option('--journal <file>', 'the journal; else guest-erasures.jsonl in VACANCY_HOME')
    .action(async ({ journal }: { journal?: string }) => {
      const { replayErasures } = await import('./guest-replay.ts')
      printer(around, asJson()).answer(...(await replayErasures(around, journal)))
    })
}

function refuseNobody({ email, phone, booking }: Named): void {
  if (!email && !phone && !booking)
    throw new CommandFailure('usage', 'Name the guest by --email, --phone or --booking.')
}
