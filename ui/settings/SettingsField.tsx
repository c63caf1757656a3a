/** One field of the settings card: its name, its control, what it is for, its default, and the way back to it. */

import { useId } from 'react'
import type { JSX } from 'react'
import type { LocaleKey } from '../locales.ts'
import { useT } from '../parts/surface.tsx'
import { TextButton } from '../parts/TextButton.tsx'
import type { Field } from './fields.ts'
import css from './Settings.module.css'

export interface SettingsFieldProps {
  readonly field: Field
  readonly text: string
  /** The default as text. */
  readonly base: string
  /** Whether the person's own value stands, or would after saving. */
  readonly changed: boolean
  readonly disabled: boolean
  /** Why the text is refused; '' when it is not. */
  readonly trouble: string
  readonly onText: (text: string) => void
  readonly onReset: () => void
}

export function SettingsField(props: SettingsFieldProps): JSX.Element {
  const { field, text, base, changed, disabled, trouble, onText, onReset } = props
  const t = useT()
  const id = useId()
  const words = (value: string): string => {
    if (value === '') return t('settings.none')
    if (field.kind === 'choice') return t(`settings.${field.name}.${value}` as LocaleKey)
    if (field.kind === 'switch') return t(value === 'true' ? 'settings.on' : 'settings.off')
    return field.kind === 'list' ? value.replaceAll('\n', t('list.comma')) : value
  }
  const control = {
    id,
    disabled,
    'aria-describedby': `${id}-help`,
    ...(trouble === '' ? {} : { 'aria-invalid': true as const }),
  }
  return (
    <div className={css['field']}>
      <div className={css['head']}>
        <label className={css['label']} htmlFor={id}>
          {t(`settings.${field.name}`)}
        </label>
        {changed && <span className={css['badge']}>{t('settings.changed')}</span>}
        {changed && (
          <TextButton disabled={disabled} onClick={onReset}>
            {t('settings.reset')}
          </TextButton>
        )}
      </div>
      {field.kind === 'list' ? (
        <textarea
          {...control}
          className={css['input']}
          rows={Math.max(3, text.split('\n').length)}
          value={text}
          onChange={(event) => onText(event.target.value)}
        />
      ) : field.kind === 'choice' || field.kind === 'switch' ? (
        <select {...control} className={css['input']} value={text} onChange={(event) => onText(event.target.value)}>
          {(field.kind === 'choice' ? field.options : ['true', 'false']).map((option) => (
            <option key={option} value={option}>
              {words(option)}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...control}
          className={css['input']}
          type="text"
          inputMode={field.kind === 'number' ? 'decimal' : 'text'}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => onText(event.target.value)}
        />
      )}
      <p id={`${id}-help`} className={css['help']}>
        {trouble !== '' && <span className={css['trouble']}>{trouble} </span>}
        {t(`settings.${field.name}.help`)} {t('settings.default', { value: words(base) })}
      </p>
    </div>
  )
}
