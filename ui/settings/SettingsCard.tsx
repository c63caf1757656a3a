/** The plugin's card in the host's settings: every field with its default, staged until it is saved. Who stores it is the scope. */

import { useState, useSyncExternalStore } from 'react'
import type { JSX } from 'react'
import { useT } from '../parts/surface.tsx'
import { TextButton } from '../parts/TextButton.tsx'
import { FIELDS, parseText, toText, type Field, type FieldName } from './fields.ts'
import { SettingsField } from './SettingsField.tsx'
import css from './Settings.module.css'

/** The stored section of one namespace. */
export interface SettingsScope {
  getSnapshot(): SettingsState
  subscribe(listener: () => void): () => void
  /** Resolves when the host has answered, also when it refused: what holds then is in the snapshot. */
  set(field: string, value: unknown): Promise<void>
  unset(field: string): Promise<void>
}

export interface SettingsState {
  readonly ready: boolean
  readonly writable: boolean
  readonly value: Readonly<Record<string, unknown>>
  /** What holds without the person's own. */
  readonly base: Readonly<Record<string, unknown>>
  /** What the person changed. */
  readonly user: Readonly<Record<string, unknown>>
}

/** What is typed and not saved; null = back to the default. */
type Drafts = Readonly<Partial<Record<FieldName, string | null>>>

export function SettingsCard({ scope }: { readonly scope: SettingsScope }): JSX.Element | null {
  const t = useT()
  const state = useSyncExternalStore(scope.subscribe, scope.getSnapshot)
  const [open, setOpen] = useState(false)
  const [drafts, setDrafts] = useState<Drafts>({})
  const [busy, setBusy] = useState(false)
  const [failed, setFailed] = useState(false)
  if (!state.ready) return null

  const fields: readonly Field[] = FIELDS
  const rows = fields.map((field) => {
    const draft = drafts[field.name]
    const stored = toText(state.value[field.name])
    const base = toText(state.base[field.name])
    const text = draft === undefined ? stored : (draft ?? base)
    const parsed = parseText(field, text)
    const changed = draft === undefined ? field.name in state.user : draft !== null
    return { field, draft, text, base, parsed, changed }
  })
  const dirty = rows.filter(({ draft }) => draft !== undefined)
  const invalid = dirty.some(({ parsed }) => !parsed.ok)

  const stage = (name: FieldName, text: string | null): void => {
    const row = rows.find(({ field }) => field.name === name)
    const back = text === null ? !(name in state.user) : text === toText(state.value[name])
    const next = { ...drafts, [name]: text }
    if (row !== undefined && back) delete next[name]
    setDrafts(next)
    setFailed(false)
  }

  const save = async (): Promise<void> => {
    setBusy(true)
    for (const { field, draft, parsed } of dirty) {
      if (draft === null) await scope.unset(field.name)
      else if (parsed.ok) await scope.set(field.name, parsed.value)
    }
    const { user } = scope.getSnapshot()
    const left: Record<string, string | null> = {}
    for (const { field, draft, parsed } of dirty) {
      const landed =
        draft === null ? !(field.name in user) : parsed.ok && toText(user[field.name]) === toText(parsed.value)
      if (!landed && draft !== undefined) left[field.name] = draft
    }
    setDrafts(left)
    setFailed(Object.keys(left).length > 0)
    setBusy(false)
  }

  return (
    // Its list is the host's, with an element of the host's own between them.
    <li role="listitem" className={css['card']} data-sidemind="" data-open={open || undefined}>
      <button type="button" className={css['header']} aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className={css['headText']}>
          <span className={css['name']}>{t('settings.title')}</span>
          <span className={css['about']}>{t('settings.about')}</span>
        </span>
        {dirty.length > 0 && <span className={css['badge']}>{t('settings.unsaved')}</span>}
        <span className={css['chevron']} aria-hidden="true" />
      </button>
      {open && (
        <div className={css['body']}>
          <p className={css['note']}>{t(state.writable ? 'settings.live' : 'settings.readOnly')}</p>
          {rows.map(({ field, text, base, parsed, changed }) => (
            <SettingsField
              key={field.name}
              field={field}
              text={text}
              base={base}
              changed={changed}
              disabled={!state.writable || busy}
              trouble={parsed.ok ? '' : t(`settings.${parsed.why}`, field.kind === 'number' ? limits(field) : {})}
              onText={(next) => stage(field.name, next)}
              onReset={() => stage(field.name, null)}
            />
          ))}
          <div className={css['footer']}>
            <span className={css['failed']} role="status">
              {failed ? t('settings.failed') : ''}
            </span>
            <TextButton disabled={dirty.length === 0 || busy} onClick={() => setDrafts({})}>
              {t('settings.discard')}
            </TextButton>
            <TextButton outlined disabled={dirty.length === 0 || invalid || busy} onClick={() => void save()}>
              {t('settings.save')}
            </TextButton>
          </div>
        </div>
      )}
    </li>
  )
}

function limits({ min, max }: { readonly min: number; readonly max: number }): Record<string, number> {
  return { min, max }
}
