/** Modules that are not TypeScript: the build hashes the class names, vite does in tests. */

declare module '*.module.css' {
  const names: { readonly [name: string]: string }
  export default names
}

declare module '*.css'

/** The one sheet of the client bundle; putting it into the page is ui/index.ts's part. */
declare module 'virtual:sidemind-css' {
  const css: string
  export default css
}
