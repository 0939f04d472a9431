import { statSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'

/**
 * `bun start` runs the service from one file with its bytecode, as the executable does: a start of the sample takes
 * 190 ms of the main thread instead of 300. The file is made in 0.8 s at the first start, and anew when one of its inputs
 * has another size or time of change, or Bun another version. Where it cannot be kept, as in a checkout that is read-only,
 * the sources are run; so they are by all other commands, such as `bun run dev`.
 *
 * The script of `package.json`, the unit and the container set `BUN_JSC_thresholdForFTLOptimizeAfterWarmUp`, which Bun
 * reads before any program: the last stage of compilation begins after 16 times as many calls. Its threads would take
 * the core of a load that has ended when they have: without it the start of 12,000 fights takes a quarter more CPU time,
 * and requests are answered no faster.
 */
const folder = join(import.meta.dirname, '..')
const cache = join(folder, 'node_modules/.cache/cageside')
/** Lists the inputs of the last bundle, whose state names its folder. */
const listPath = join(cache, 'inputs.json')
/** Times of change are those of a clock with ticks of up to 10 ms. */
const tickMs = 20

/**
 * Name of the bundle of the inputs, paths in this checkout, as they are. The time of change follows each write, and no
 * program can set it. Copies of a checkout have others; one that was moved has another folder.
 */
const nameOf = (inputs: readonly string[]): string => {
  const runtime = [Bun.revision, process.platform, process.arch, folder]
  const states = inputs.map((path) => {
    const { size, ctimeMs } = statSync(join(folder, path))
    return `${path} ${size} ${ctimeMs}`
  })
  return Bun.hash([...runtime, ...states].join('\n')).toString(36)
}

/** The bundle of the present sources; undefined where there is none. */
const findBundle = async (): Promise<string | undefined> => {
  try {
    const path = join(cache, nameOf(await Bun.file(listPath).json()), 'main.js')
    return (await Bun.file(path).exists()) ? path : undefined
  } catch {
    return undefined
  }
}

const bundle = async (outdir: string): Promise<readonly string[]> => {
  const { metafile } = await Bun.build({
    entrypoints: [join(folder, 'src/main.ts')],
    outdir,
    target: 'bun',
    format: 'cjs',
    bytecode: true,
    // Failures are logged with lines of the sources.
    sourcemap: 'linked',
    metafile: true,
    // sketches-js loads it only to write protocol buffers.
    external: ['protobufjs', '@elysiajs/swagger'],
    minify: { whitespace: true, syntax: true },
    plugins: [
      {
        name: 'files that are imported by path stay where they are',
        setup: ({ onLoad }) => {
          onLoad({ filter: /\.cageside$|swagger-ui-dist/ }, ({ path }) => ({
            contents: `export default ${JSON.stringify(path)}`,
            loader: 'js',
          }))
        },
      },
    ],
  })
  const settings = ['package.json', 'bun.lock', 'tsconfig.json', 'scripts/start.ts']
  // Bun names them from the working directory.
  return [...settings, ...Object.keys(metafile?.inputs ?? {}).map((path) => relative(folder, path))]
}

/** Replaces the bundle by that of the present sources, unless they change meanwhile. */
const makeBundle = async (): Promise<void> => {
  const made = join(cache, `new-${process.pid}`)
  await mkdir(made, { recursive: true })
  try {
    const begunMs = Date.now()
    const inputs = await bundle(made)
    const name = nameOf(inputs)
    if (inputs.some((path) => statSync(join(folder, path)).ctimeMs > begunMs - tickMs)) return
    await Bun.write(join(made, 'inputs.json'), JSON.stringify(inputs))
    const before = await readdir(cache)
    await rename(made, join(cache, name))
    await rename(join(cache, name, 'inputs.json'), listPath)
    for (const old of before.filter(
      (other) => ![basename(made), basename(listPath)].includes(other),
    ))
      await rm(join(cache, old), { recursive: true, force: true })
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

const [option] = Bun.argv.slice(2)
if (option === '--bundle') await makeBundle()
else if (option !== undefined) {
  const [{ runCommand }, { main }] = [await import('./command.ts'), await import('./serve.ts')]
  await runCommand(main)
} else {
  let path = await findBundle()
  if (path === undefined) {
    // A process of its own: bundling takes 180 MB.
    Bun.spawnSync([process.execPath, import.meta.path, '--bundle'])
    path = await findBundle()
  }
  await import(path ?? '../src/main.ts')
}
