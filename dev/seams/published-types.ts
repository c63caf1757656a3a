/** Holds the hand-written frames of `ui/dsh/old-follow.ts` against the published ones, at compile time only: a
 *  published shape that ours does not have, or the reverse, is a type error in this file. */
import type {
  SessionAddress,
  SessionEventEntry,
  SessionFollowFrame,
  SessionFollowRequest,
  SessionPage,
  SessionPageRequest,
} from '@deepseek-ai/dsh-api-session-controller/types'
import type { Branded } from '@deepseek-ai/dsh-brand'

import type {
  EventEntry,
  Follow,
  FollowFrame,
  FollowRequest,
  Page,
  PageRequest,
  Snapshot,
} from '../../ui/dsh/old-follow.ts'
import type * as ours from '../../ui/dsh/old-follow.ts'
import type { RemoteSession } from './remote-session.ts'

/** The published type with branded ids as the plain strings that travel. */
type Plain<T> = [ours.JsonValue] extends [T] ? T : PlainOf<T>
type PlainOf<T> =
  T extends Branded<string>
    ? string
    : T extends string | number | boolean | null | undefined
      ? T
      : { [Key in keyof T]: Plain<T[Key]> }

/** Compiles when every `From` is a `To`. */
type Fits<From extends To, To> = From

/** `any` would fit everything: an import that no longer resolves. */
type IsAny<T> = 0 extends 1 & T ? true : false

type PublishedSnapshot = Plain<Extract<SessionFollowFrame, { type: 'snapshot' }>>

export type Checks = [
  Fits<IsAny<PublishedSnapshot[keyof PublishedSnapshot]>, false>,
  Fits<IsAny<PublishedSnapshot['records'][number]['event']>, false>,
  Fits<IsAny<SessionFollowRequest['address']>, false>,
  // What the product asks, a host understands; what the adapter is asked, it understands.
  Fits<FollowRequest, Plain<SessionFollowRequest>>,
  Fits<Plain<SessionFollowRequest>, FollowRequest>,
  Fits<PageRequest, Plain<SessionPageRequest>>,
  Fits<Plain<SessionPageRequest>, PageRequest>,
  Fits<Page, Plain<SessionPage>>,
  Fits<Plain<SessionPage>, Page>,
  Fits<ours.SessionAddress, Plain<SessionAddress>>,
  // What a host sends, the product has a case for; what the adapter sends, such a host could have sent.
  Fits<Plain<SessionFollowFrame>, FollowFrame>,
  Fits<EventEntry, Plain<SessionEventEntry>>,
  Fits<Omit<Snapshot, 'records' | 'assistantStream'>, Omit<PublishedSnapshot, 'records'>>,
  Fits<PublishedSnapshot['records'], Snapshot['records']>,
  Fits<Snapshot['records'], PublishedSnapshot['records']>,
  Fits<RemoteSession['follow'], Follow>,
]
