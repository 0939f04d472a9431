import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../freePort.ts'
import { temporaryFolder } from '../process.ts'

const nobody = 65_534

/** Starts Debian's pgbouncer in transaction mode in front of a server, for one user, with further settings. */
export const startPgbouncer = async (
  server: string,
  { name, password }: { readonly name: string; readonly password: string },
  ...settings: readonly string[]
) => {
  const port = freePort()
  const folder = await temporaryFolder()
  const [path, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'users.txt')]
  await writeFile(users, `"${name}" "${password}"\n`)
  await writeFile(
    path,
    `[databases]
* = ${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
${settings.join('\n')}
`,
  )
  // pgbouncer refuses to run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const each of [folder, path, users]) await chown(each, nobody, nobody)
  const command = ['pgbouncer', ...(isRoot ? ['-u', 'nobody'] : []), path]
  return { port, process: Bun.spawn(command, { stdout: 'ignore', stderr: 'ignore' }) }
}
