/** Licence of the data: its name, and the address of its text. */
export interface DataLicense {
  readonly name: string
  readonly url?: string
}
