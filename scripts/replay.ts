import { CommandError, type Main, program, readArguments, runCommand } from './command.ts'
import { flag, text } from './option.ts'

const help = `Usage: ${program} replay [SNAPSHOT] [--at TIME] [--speed N] [--loop]

Serves a snapshot as it was during an event, and lets the event go on: fights are called, begin and end,
recordings appear, brackets fill. For work on live screens on any day.

  SNAPSHOT    the file (default: SNAPSHOT of the environment, else the bundled sample)
  --at TIME   the moment to begin at, such as 2026-03-14T17:00:00Z
              (default: auto, the busiest hour of the last event)
  --speed N   seconds of the event per second, 1 to 600 (default 1)
  --loop      begin again after the last fight
  --help      this text

The other settings are those of the service, from the environment.`

/** Sets the environment of the service, and starts it. */
export const main: Main = async (args) => {
  const { values, positionals } = readArguments(help, args, { at: text, speed: text, loop: flag })
  const [snapshot, ...more] = positionals
  if (more.length > 0) throw new CommandError('one snapshot file is expected (see --help)')
  const { env } = process
  if (snapshot !== undefined) env.SNAPSHOT = snapshot
  env.REPLAY = values.at ?? (env.REPLAY || 'auto')
  if (values.speed !== undefined) env.REPLAY_SPEED = values.speed
  if (values.loop) env.REPLAY_LOOP = '1'
  // The imported module is the running process.
  await import('../src/main.ts')
}

if (import.meta.main) await runCommand(main)
