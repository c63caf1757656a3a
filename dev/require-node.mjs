/** Preloaded by the npm scripts, and plain JavaScript, so that a Node which cannot read the rest still says why. */
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19) || major === 23) {
  process.stderr.write(
    `Node ${process.versions.node} is too old or unsupported here: install Node 24 (or 22.19 and later) and run \`npm ci\` again.\n`,
  )
  process.exit(1)
}
