import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmod, mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { insertLeague } from '../../scripts/load.ts'
import { migrate } from '../../scripts/migrate.ts'
import { isPublic } from '../../src/data/source/visibility.ts'
import { startNginx } from '../deployed.ts'
import { freePort } from '../freePort.ts'
import { administer } from '../postgres.ts'
import {
  projectFolder,
  type Running,
  runToEnd,
  startService,
  stopService,
  temporaryFolder,
} from '../process.ts'
import { sampleLeague } from '../smallLeague.ts'
import { until } from '../until.ts'
import { type Cluster, startCluster } from './debianPostgres.ts'

const recipes = await Bun.file(join(projectFolder, 'scripts/deploy/RECIPES.md')).text()

/** The blocks of commands below a heading. */
const blocksOf = (heading: string): readonly string[] => {
  const start = recipes.indexOf(`\n## ${heading}`)
  if (start < 0) throw new Error(`there is no recipe '${heading}'`)
  const section = recipes.slice(start + 1)
  const end = section.indexOf('\n## ')
  const lines = section.slice(0, end < 0 ? undefined : end)
  return [...lines.matchAll(/(?:^ {4}.*\n)+/gm)].map(([block]) => block.replace(/^ {4}/gm, ''))
}

const stops: (() => unknown)[] = []
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop()
})

/** A machine with Debian's Postgres, its folders below one folder, and units that are processes. */
const openMachine = async () => {
  const cluster = await startCluster()
  stops.push(() => cluster.crash())
  const adminUrl = cluster.url.replace(/postgres$/, 'league')
  const root = await temporaryFolder()
  const ports = new Map([3000, 3001].map((name) => [`cageside@${name}`, freePort()]))
  const running = new Map<string, Running>()
  const start = async (unit: string) => {
    if (running.has(unit)) return
    const [, name = ''] = unit.split('@')
    const env = Object.fromEntries(
      (await Bun.file(join(root, 'etc/cageside/cageside.env')).text())
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('=', 2)),
    )
    const hasDatabase = Bun.file(join(root, 'etc/cageside/database-url')).size > 1
    const settings = {
      PORT: String(ports.get(unit)),
      DATA_DIR: join(root, 'var/lib/cageside', name),
      ...env,
      ...(hasDatabase && { DATABASE_URL_FILE: join(root, 'etc/cageside/database-url') }),
      REFRESH_MS: '200',
    }
    running.set(unit, await startService(settings, [join(root, 'bin/cageside'), 'serve']))
  }
  const stop = async (unit: string) => {
    const service = running.get(unit)
    running.delete(unit)
    if (service) await stopService(service)
  }
  const verbs: Record<string, (unit: string) => Promise<unknown>> = {
    start,
    stop,
    restart: async (unit) => {
      await stop(unit)
      await start(unit)
    },
  }
  const systemctl = Bun.serve({
    port: 0,
    idleTimeout: 60,
    fetch: async (request) => {
      const [, verb = '', unit = ''] = new URL(request.url).pathname.split('/')
      if (verb === 'is-active') return new Response(null, { status: running.has(unit) ? 200 : 503 })
      const failure = await verbs[verb]?.(unit).catch((error: unknown) => String(error))
      return new Response(null, { status: failure ? 500 : 200 })
    },
  })
  stops.push(async () => {
    for (const unit of [...running.keys()]) await stop(unit)
    await systemctl.stop(true)
  })
  const bin = join(root, 'bin')
  for (const folder of ['bin', 'etc/cageside', 'etc/systemd/system', 'var/lib/cageside', 'srv']) {
    await mkdir(join(root, folder), { recursive: true })
  }
  await writeFile(join(root, 'etc/cageside/cageside.env'), 'LOG_LEVEL=warn\n')
  await writeFile(join(root, 'etc/cageside/database-url'), '')
  const shims = {
    cageside: `exec ${process.execPath} ${projectFolder}/scripts/cageside.ts "$@"`,
    systemctl: `[ "$1" = is-active ] || echo "$1 \${@: -1}" >> ${root}/calls
      exec /usr/bin/curl -s --fail "${systemctl.url}$1/\${@: -1}" 2> /dev/null`,
    curl: `args=("$@")
      ${[...ports].map(([unit, port]) => `args=("\${args[@]/localhost:${unit.slice(-4)}/127.0.0.1:${port}}")`).join('\n')}
      exec /usr/bin/curl "\${args[@]}"`,
    // Commands that are not run because they change the system.
    'apt-get': 'exec true',
    journalctl: 'exec true',
  }
  for (const [name, command] of Object.entries(shims)) {
    await writeFile(join(bin, name), `#!/bin/bash\n${command}\n`)
    await chmod(join(bin, name), 0o755)
  }
  /** Commands with the folders of the machine. */
  const within = (commands: string) =>
    commands
      .replaceAll(
        /(?<![\w.])\/(etc|var\/lib|var\/backups|srv|usr\/local\/bin)(?=\/)/g,
        (_, folder) => join(root, folder === 'usr/local/bin' ? 'bin' : folder),
      )
      .replaceAll('-C /', `-C ${root}`)
      .replaceAll('@localhost/', `@127.0.0.1:${cluster.port}/`)
      .replaceAll('cageside:cageside', 'root:root')
  const deploy = join(projectFolder, 'scripts/deploy')
  for await (const name of new Bun.Glob('**/*.{sh,service,timer}').scan(deploy)) {
    const text = await Bun.file(join(deploy, name)).text()
    await Bun.write(join(root, 'srv/scripts/deploy', name), within(text))
    if (name.endsWith('.sh')) await chmod(join(root, 'srv/scripts/deploy', name), 0o755)
  }
  /** Runs commands like root does there. */
  const run = async (commands: string, env: Readonly<Record<string, string>> = {}) => {
    const own = within(commands)
    const { code, output, errors } = await runToEnd(['bash', '-euo', 'pipefail', '-c', own], {
      cwd: join(root, 'srv'),
      env: {
        PATH: `${bin}:${process.env.PATH}`,
        HOME: root,
        PGHOST: '127.0.0.1',
        PGPORT: String(cluster.port),
        PGUSER: 'postgres',
        DATABASE_ADMIN_URL: adminUrl,
        ...env,
      },
    })
    return { code, output: output + errors }
  }
  const address = (unit: string) => `http://127.0.0.1:${ports.get(unit)}`
  /** systemctl commands since the last call. */
  const calls = async (): Promise<readonly string[]> => {
    const { output } = await run(`touch ${root}/calls; cat ${root}/calls; rm ${root}/calls`)
    return output.split('\n').filter(Boolean)
  }
  return { cluster, adminUrl, root, run, start, address, ports, calls }
}
type Machine = Awaited<ReturnType<typeof openMachine>>

/** Runs the blocks of a recipe, which must all succeed. */
const follow = async (
  machine: Machine,
  heading: string,
  {
    blocks = blocksOf(heading),
    env = {},
  }: { blocks?: readonly string[]; env?: Record<string, string> } = {},
) => {
  for (const block of blocks) {
    expect(await machine.run(block, env)).toMatchObject({ code: 0 })
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an operator reads what comes.
const healthAt = async (url: string): Promise<any> => (await fetch(`${url}/health`)).json()

const versionAt = async (url: string) => {
  const response = await fetch(`${url}/tournaments`)
  await response.text()
  return response.headers.get('x-data-version')
}

const tournaments = sampleLeague.tournaments
  .filter(({ tournament }) => isPublic(tournament))
  .sort((a, b) => a.recordings.length - b.recordings.length)
  .slice(0, 4)

/** Logins except the administrator need their passwords. */
const requirePasswords = ({ url }: Cluster) =>
  administer(
    url,
    `DO $$ BEGIN EXECUTE format('COPY (VALUES (%L), (%L)) TO %L', 'host all postgres all trust',
       'host all all all scram-sha-256', current_setting('hba_file')); END $$; SELECT pg_reload_conf()`,
  )

const isAnswered = (url: string): Promise<boolean> =>
  fetch(`${url}/fights/recent`, { tls: { rejectUnauthorized: false } })
    .then(async (response) => (await response.text()) !== '' && response.ok)
    .catch(() => false)

/** Requests a URL without a pause, and counts failures. */
const load = (url: string) => {
  const counts = { answered: 0, failed: 0 }
  let isEnding = false
  const run = async () => {
    while (!isEnding) counts[(await isAnswered(url)) ? 'answered' : 'failed'] += 1
  }
  const ended = run()
  return async () => {
    isEnding = true
    await ended
    return counts
  }
}

describe('the recipes', () => {
  let machine: Machine
  let version: string | null
  beforeAll(async () => {
    machine = await openMachine()
    const { cluster, run } = machine
    await administer(cluster.url, 'CREATE DATABASE league')
    const url = machine.adminUrl
    const logins = {
      reader: { name: 'cageside', password: 'first' },
      writer: { name: 'event', password: 'writes' },
    }
    await migrate(url, logins)
    await requirePasswords(cluster)
    await insertLeague(url, { cages: [], cageQueue: [], tournaments })
    await run('echo postgres://cageside:first@localhost/league > /etc/cageside/database-url')
    await machine.start('cageside@3000')
    version = await versionAt(machine.address('cageside@3000'))
  })

  test('a backup restores on a new machine, with its roles and without an error', async () => {
    await follow(machine, 'Back up')
    const other = await openMachine()
    await requirePasswords(other.cluster)
    const backups = join(machine.root, 'var/backups/cageside')
    const [day = ''] = await readdir(backups)
    const files = ['cageside.tar.gz', 'league.dump', 'roles.sql']
    expect((await readdir(join(backups, day))).sort()).toEqual(files)
    for (const to of [machine, other]) {
      for (const name of files) {
        await Bun.write(join(to.root, 'srv', name), Bun.file(join(backups, day, name)))
      }
    }
    // The last 14 days stay, and the folder is given to the program that copies it.
    for (let number = 1; number <= 20; number += 1) {
      await mkdir(join(backups, `2020-01-${String(number).padStart(2, '0')}`))
    }
    const copy = `#!/bin/sh\necho "$1" > ${join(machine.root, 'copied')}\n`
    await Bun.write(join(machine.root, 'etc/cageside/after-backup'), copy)
    await chmod(join(machine.root, 'etc/cageside/after-backup'), 0o755)
    expect(await machine.run('cageside-backup')).toEqual({ code: 0, output: '' })
    expect(await readdir(backups)).toHaveLength(14)
    expect(await Bun.file(join(machine.root, 'copied')).text()).toBe(`${join(backups, day)}\n`)
    // A failed or interrupted backup leaves no files, and the last good one stays.
    await mkdir(join(backups, '2020-01-31.new'))
    await Bun.write(join(machine.root, 'bin/pg_restore'), '#!/bin/sh\nexit 1\n')
    await chmod(join(machine.root, 'bin/pg_restore'), 0o755)
    expect((await machine.run('cageside-backup')).code).toBe(1)
    expect((await readdir(backups)).filter((name) => name.endsWith('.new'))).toEqual([])
    expect((await readdir(join(backups, day))).sort()).toEqual(files)
    await machine.run('rm /usr/local/bin/pg_restore')
    const [restore = ''] = blocksOf('Restore on a new machine')
    const [before = '', after = ''] = restore.split('systemctl start')
    await follow(other, '', { blocks: [before] })
    // The URL in the copied folder belongs to the database's machine.
    await other.run('echo postgres://cageside:first@localhost/league > /etc/cageside/database-url')
    await follow(other, '', { blocks: [`systemctl start${after}`] })
    expect(await versionAt(other.address('cageside@3000'))).toBe(version)
    const writer = new URL(other.cluster.url.replace('postgres@', 'event:writes@'))
    writer.pathname = '/league'
    await administer(writer.href, `UPDATE cageside.tournaments SET name = 'Moved'`)
    await until(async () => (await versionAt(other.address('cageside@3000'))) !== version)
    // The old machine takes no more writes before a move, but still answers.
    const [, freeze = ''] = blocksOf('Restore on a new machine')
    await follow(machine, '', { blocks: [freeze] })
    const write = administer(machine.adminUrl, `UPDATE cageside.tournaments SET name = 'Late'`)
    expect(write).rejects.toThrow('read-only')
    expect(await versionAt(machine.address('cageside@3000'))).toBe(version)
    const thaw = 'ALTER DATABASE league RESET default_transaction_read_only'
    await administer(machine.cluster.url, thaw)
  })

  test('the password is rotated without a failed request', async () => {
    const [one = 0, other = 0] = machine.ports.values()
    const nginx = await startNginx([one, other], { hasCache: false })
    stops.push(() => nginx.process.kill())
    await until(() => isAnswered(nginx.url))
    const ended = load(nginx.url)
    await follow(machine, 'Rotate the password', { env: { NEW_PASSWORD: 'second' } })
    const { answered, failed } = await ended()
    expect([answered > 50, failed]).toEqual([true, 0])
    expect(await healthAt(machine.address('cageside@3000'))).toMatchObject({
      status: 'ok',
      source: 'postgres',
    })
  })

  test('a broken league is replaced by the backup while the service runs', async () => {
    const url = machine.address('cageside@3000')
    const { adminUrl } = machine
    await administer(adminUrl, `UPDATE cageside.tournaments SET name = 'Broken'`)
    await until(async () => (await versionAt(url)) !== version)
    const ended = load(url)
    const [replace = '', accept = ''] = blocksOf("Replace a broken league by yesterday's")
    await follow(machine, '', { blocks: [replace] })
    await until(async () => (await versionAt(url)) === version)
    expect((await ended()).failed).toBe(0)
    // A loss of most fights is held back until it is accepted.
    await administer(
      adminUrl,
      `ALTER TABLE cageside.games DISABLE TRIGGER ALL; DELETE FROM cageside.slots; DELETE FROM cageside.games`,
    )
    await until(async () => (await healthAt(url)).heldBack?.length > 0)
    await follow(machine, '', { blocks: [accept] })
    await until(async () => (await healthAt(url)).counts?.fights === 0)
  })

  test('the recipe for a full disk frees space', async () => {
    const [old, fresh] = ['old.tmp', 'fresh.tmp'].map((name) =>
      join(machine.root, 'var/lib/cageside', name),
    )
    for (const path of [old, fresh]) await Bun.write(path ?? '', 'half')
    await utimes(old ?? '', new Date(0), new Date(0))
    await follow(machine, 'The disk is full')
    expect([await Bun.file(old ?? '').exists(), await Bun.file(fresh ?? '').exists()]).toEqual([
      false,
      true,
    ])
  })

  test('an imported file is served under the unit, and the next import without a restart', async () => {
    const league = join(machine.root, 'srv/cageside/my-league')
    await Bun.write(join(league, 'tournaments.csv'), 'tournament,weight\nspring,3\n')
    await Bun.write(join(league, 'fights.csv'), 'tournament,red,blue\nspring,Axe,Blade\n')
    await follow(machine, 'Serve an imported file')
    const url = `${machine.address('cageside@3000')}/bots/axe`
    expect(await (await fetch(url)).text()).toContain('"totalFights":0')
    await Bun.write(
      join(league, 'fights.csv'),
      'tournament,red,blue,winner\nspring,Axe,Blade,red\n',
    )
    const [, again = ''] = (blocksOf('Serve an imported file')[0] ?? '').split('\n')
    expect(await machine.run(again)).toMatchObject({ code: 0 })
    await until(async () => (await (await fetch(url)).text()).includes('"totalFights":1'))
  })
})

describe('an upgrade', () => {
  let machine: Machine
  const upgrade = (...args: readonly string[]) =>
    machine.run(`scripts/deploy/upgrade.sh ${args.join(' ')}`)
  /** The present program under another version name, with shell code that runs first. */
  const writeProgram = async (path: string, version: string, before = '') => {
    const text = `#!/bin/bash
      [ "$1" = --version ] && echo 'cageside ${version}' && exit
      ${before}
      exec ${process.execPath} ${projectFolder}/scripts/cageside.ts "$@"`
    await Bun.write(join(machine.root, path), text)
    await chmod(join(machine.root, path), 0o755)
  }
  const installed = async () => (await machine.run('cageside --version')).output.trim()
  const tables = async () =>
    (await machine.run('cageside migrate --check')).output.match(/version (\d+)/)?.[1]
  const url = () => machine.address('cageside@3000')
  /** A program that does not read the present tables. */
  const later = `[ "$2" = --check ] && echo 'the tables have version 5; this program reads 6 to 7' && exit`

  beforeAll(async () => {
    machine = await openMachine()
    const { cluster, run, adminUrl } = machine
    await administer(cluster.url, 'CREATE DATABASE league')
    await migrate(adminUrl, { upTo: 2 })
    const rows = join(projectFolder, 'test/migrations/002.sql')
    await administer(adminUrl, await Bun.file(rows).text())
    await migrate(adminUrl, { upTo: 5, reader: { name: 'cageside', password: 'first' } })
    await requirePasswords(cluster)
    await run('echo postgres://cageside:first@localhost/league > /etc/cageside/database-url')
    await run('install -m 755 scripts/deploy/backup.sh /usr/local/bin/cageside-backup')
    await writeProgram('bin/cageside', '8')
    await writeProgram('new/cageside', '9')
    await machine.start('cageside@3000')
    await until(() => isAnswered(url()))
    await machine.calls()
  })

  test('upgrade.sh stops at a failed check without changes', async () => {
    await writeProgram('new/broken', '9', 'exit 1')
    await writeProgram('new/same', '8')
    await writeProgram('new/later', '11', later)
    const { root } = machine
    const doubts: readonly (readonly [command: string, reason: string])[] = [
      [join(root, 'new/none'), 'does not run here'],
      [join(root, 'new/same'), 'is installed already'],
      [join(root, 'new/broken'), 'does not say which tables it reads'],
      [`--stop ${join(root, 'new/cageside')}`, 'no stop is needed'],
      ['--back', 'there is no '],
      [join(root, 'new/later'), 'there is no way without a stop, see --stop'],
    ]
    for (const [args, reason] of doubts) {
      const { code, output } = await upgrade(args)
      expect([args, code, output]).toEqual([args, 1, expect.stringContaining(reason)])
    }
    const failing = await machine.run(`BACKUP=false scripts/deploy/upgrade.sh ${root}/new/cageside`)
    expect([failing.code, failing.output]).toEqual([
      1,
      expect.stringContaining('the backup failed'),
    ])
    expect([await machine.calls(), await installed(), await tables()]).toEqual([
      [],
      'cageside 8',
      '5',
    ])
  })

  test('upgrade.sh restores the previous version if the new one does not serve the league', async () => {
    await writeProgram('new/dead', '9', '[ "$1" = serve ] && exit 1')
    const { code, output } = await upgrade(join(machine.root, 'new/dead'))
    expect([code, output]).toEqual([1, expect.stringContaining('the previous program is back')])
    // The first process was not restarted.
    expect(await machine.calls()).toEqual(['start cageside@3001', 'stop cageside@3001'])
    expect([await installed(), await tables(), await isAnswered(url())]).toEqual([
      'cageside 8',
      '5',
      true,
    ])
  })

  test('upgrade.sh backs up, replaces both processes and migrates last; no request fails', async () => {
    const [one = 0, other = 0] = machine.ports.values()
    const nginx = await startNginx([one, other], { hasCache: false })
    stops.push(() => nginx.process.kill())
    await until(() => isAnswered(nginx.url))
    await machine.calls()
    const logs = `[ "$*" = migrate ] && echo migrate >> ${machine.root}/calls`
    await writeProgram('new/cageside', '9', logs)
    const ended = load(nginx.url)
    const { code, output } = await upgrade(join(machine.root, 'new/cageside'))
    const { answered, failed } = await ended()
    expect([code, output]).toEqual([0, expect.stringContaining('loses all that was written since')])
    expect([answered > 50, failed]).toEqual([true, 0])
    expect(await machine.calls()).toEqual([
      'start cageside@3001',
      'restart cageside@3000',
      'migrate',
      'stop cageside@3001',
    ])
    expect([await installed(), await tables()]).toEqual(['cageside 9', '7'])
    const [day = ''] = await readdir(join(machine.root, 'var/backups/cageside'))
    const dump = join(machine.root, 'var/backups/cageside', day, 'league.dump')
    // The dump has the tables as before the upgrade.
    const listed = await runToEnd(['pg_restore', '-a', '-t', 'schema_version', '-f', '-', dump])
    expect(listed.output.match(/^\d+\t/gm)?.at(-1)).toBe('5\t')
    expect(await healthAt(url())).toMatchObject({ status: 'ok' })
    const back = await upgrade('--back')
    expect([back.code, back.output]).toEqual([
      1,
      expect.stringMatching(/version 7, the previous program reads 5: restore the backup/),
    ])
  })

  test('upgrade.sh --back loses nothing if the tables are the same', async () => {
    await writeProgram('new/next', '10')
    const upgrading = machine.run(
      `BACKUP='sleep 3' scripts/deploy/upgrade.sh ${machine.root}/new/next`,
    )
    await Bun.sleep(1000)
    // The league changes in between.
    const { adminUrl } = machine
    await administer(adminUrl, 'UPDATE cageside.slots SET player_id = NULL WHERE idx = 0')
    const { code, output } = await upgrading
    expect([code, output]).toEqual([0, expect.stringContaining('which loses nothing')])
    await follow(machine, 'Roll back an upgrade')
    expect([await installed(), await isAnswered(url())]).toEqual(['cageside 9', true])
  })

  test('upgrade.sh --stop restores the previous version if the migration fails', async () => {
    const failing = `${later}; [ "$*" = migrate ] && exit 1`
    await writeProgram('new/failing', '11', failing)
    const { code, output } = await upgrade('--stop', join(machine.root, 'new/failing'))
    expect([code, output]).toEqual([1, expect.stringContaining('the previous program is back')])
    expect([await installed(), await isAnswered(url())]).toEqual(['cageside 9', true])
  })

  test('upgrade.sh --stop upgrades from tables that the new version does not read', async () => {
    await machine.calls()
    const { code, output } = await upgrade('--stop', join(machine.root, 'new/later'))
    expect([code, output]).toEqual([0, expect.stringContaining('loses all that was written since')])
    expect(await machine.calls()).toEqual([
      'stop cageside@3001',
      'stop cageside@3000',
      'start cageside@3000',
    ])
    expect([await installed(), await isAnswered(url())]).toEqual(['cageside 11', true])
  })
})
