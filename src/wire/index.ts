/** The only door from ui/ into src/: contract types, errors, limits, projector, control encoding, transport port. */

export * from '../core/contract.ts'
export * from '../core/errors.ts'
export * from '../core/ladder.ts'
export * from '../core/limits.ts'
export * from './transport.ts'
export * from '../core/projector.ts'
export * from './control.ts'
export * from './names.ts'
export * from './token.ts'
export * from '../providers/dsh/translate.ts'
export * from '../providers/dsh/history.ts'
export { activityOf, type Activity } from '../providers/dsh/activity.ts'
