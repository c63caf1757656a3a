/** Stands for `virtual:sidemind-css` in tests: vite puts the sheets of CSS modules into the page by itself. */
export default ''
