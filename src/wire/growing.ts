/** What drawing a growing text takes: reading its end. For ui/parts, which gets nothing else of ours at run time. */

export * from '../core/growing-text.ts'
export { growthOf } from '../core/projector.ts'
