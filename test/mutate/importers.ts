import { join, normalize } from 'node:path'

/** The modules that each module imports, both as paths from the folder. */
export type Imports = ReadonlyMap<string, readonly string[]>

const transpiler = new Bun.Transpiler({ loader: 'ts' })

export const readImports = async (folder: string, files: readonly string[]): Promise<Imports> => {
  const imports = new Map<string, string[]>()
  for (const file of files) {
    const text = await Bun.file(join(folder, file)).text()
    const relative = transpiler.scanImports(text).filter(({ path }) => path.startsWith('.'))
    imports.set(
      file,
      relative.map(({ path }) => normalize(join(file, '..', path))),
    )
  }
  return imports
}

/**
 * The files whose names end in `.test.ts` that reach a module by imports, nearest first: those that import it,
 * those that import what does, and so on.
 */
export const testsOf = (imports: Imports, module: string): string[] => {
  const importers = new Map<string, string[]>()
  for (const [file, imported] of imports) {
    for (const path of imported) importers.set(path, [...(importers.get(path) ?? []), file])
  }
  const reached = new Set([module])
  for (const path of reached)
    for (const importer of importers.get(path) ?? []) reached.add(importer)
  return [...reached].filter((path) => path.endsWith('.test.ts'))
}
