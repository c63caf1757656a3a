/** How a side answers what the app-server asks of its client: always no. Nobody approves anything in a side, and a tool of
 *  the source's host does not run for it (I3). Pure. */

const DENIED = 'Not available in a side conversation: it may read and change nothing.'

/** The answer to a server request for a side's thread. An unknown request gets an error, which refuses it too. */
export function refusalOf(method: string): { readonly result: unknown } | { readonly error: string } {
  switch (method) {
    case 'item/commandExecution/requestApproval':
    case 'item/fileChange/requestApproval':
      return { result: { decision: 'decline' } }
    case 'mcpServer/elicitation/request':
      return { result: { action: 'decline', content: null, _meta: null } }
    case 'item/tool/requestUserInput':
      return { result: { answers: {} } }
    case 'item/tool/call':
      return { result: { contentItems: [{ type: 'inputText', text: DENIED }], success: false } }
    default:
      return { error: DENIED }
  }
}
