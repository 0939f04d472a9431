/** Licence of the data: its name, and where its text is. */
export interface DataLicense {
  readonly name: string
  readonly url?: string
}
