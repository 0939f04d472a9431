import { dirname, join } from 'node:path'
import ts from 'typescript'

/** Whether the compiler accepts a text in place of a file of the project; the other files are read once. */
export type IsTyped = (file: string, text: string) => boolean

const readConfig = (folder: string) => {
  const path = join(folder, 'tsconfig.json')
  const { config } = ts.readConfigFile(path, ts.sys.readFile)
  return ts.parseJsonConfigFileContent(config, ts.sys, dirname(path))
}

export const createTypeCheck = (folder: string): IsTyped => {
  const { fileNames, options } = readConfig(folder)
  let changed = { path: '', text: '' }
  let version = 0
  const versions = new Map<string, number>()
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => fileNames,
    getScriptVersion: (path) => String(versions.get(path) ?? 0),
    getScriptSnapshot: (path) => {
      const text = path === changed.path ? changed.text : ts.sys.readFile(path)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  })
  return (file, text) => {
    const path = join(folder, file)
    version++
    // The file that was changed before is read anew.
    versions.set(changed.path, version)
    versions.set(path, version)
    changed = { path, text }
    return (
      service.getSyntacticDiagnostics(path).length === 0 &&
      service.getSemanticDiagnostics(path).length === 0
    )
  }
}
