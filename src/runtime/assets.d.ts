/** Paths of files imported with `{ type: 'file' }`, which the executable holds. */
declare module '*.cageside' {
  const path: string
  export default path
}
declare module '*.css' {
  const path: string
  export default path
}
declare module '*/swagger-ui-bundle.js' {
  const path: string
  export default path
}
