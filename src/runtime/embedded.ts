/** Files within the executable, by name; none when the sources are run. */
export const embeddedFiles: ReadonlyMap<string, Blob> = new Map(
  Bun.embeddedFiles.flatMap((file) => ('name' in file ? [[String(file.name), file]] : [])),
)

/** Whether a path is that of a file within the executable, which `Bun.file` reads and `open` does not. */
export const isEmbedded = (path: string): boolean => path.startsWith('/$bunfs/')
