/** Where a model's Markdown may lead (I11). Model text is untrusted: links go to the web or to a mail program only, and
 *  nothing is fetched by being shown. Which elements exist at all is markdown-elements.tsx. */

/** Links that may be followed. Anything else (relative paths too: they would lead into the host) is plain text. */
const LINK = /^(?:https?:\/\/|mailto:)/i
const IMAGE = /^https?:\/\//i

export function safeLink(url: string | undefined): string | null {
  return url !== undefined && LINK.test(url) && leadsSomewhere(url) ? url : null
}

export function safeImage(url: string | undefined): string | null {
  return url !== undefined && IMAGE.test(url) && leadsSomewhere(url) ? url : null
}

/** Whether a browser could follow this address. */
function leadsSomewhere(url: string): boolean {
  try {
    return new URL(url).href !== ''
  } catch {
    return false
  }
}
