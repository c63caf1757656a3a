/** The menu of models and efforts. Choosing keeps it open, so that both can be chosen; with `run` it ends in one button
 *  that asks again with what was chosen. */

import { useEffect, useRef } from 'react'
import type { JSX, KeyboardEvent, RefObject } from 'react'
import { Icon } from './Icon.tsx'
import { costText, offerOf, sameModel, sameRoute, withModel } from './model-words.ts'
import type { ModelChoice } from './ModelPicker.tsx'
import { Popover } from './Popover.tsx'
import { useT } from './surface.tsx'
import css from './ModelPicker.module.css'

export interface ModelMenuProps {
  readonly id: string
  readonly anchor: RefObject<HTMLElement>
  readonly choice: ModelChoice
  readonly onClose: () => void
  /** Asks again with what is chosen now. */
  readonly run?: () => void
}

export function ModelMenu({ id, anchor, choice, onClose, run }: ModelMenuProps): JSX.Element {
  const t = useT()
  const list = useRef<HTMLDivElement>(null)
  const { catalog, route, asked, remembered, pick, remember } = choice
  const now = route ?? asked ?? catalog.main
  const offer = offerOf(catalog, now)
  const effort = now?.effort ?? offer?.defaultEffort
  const kept = remembered !== null && sameRoute(remembered, now)
  const cost = costText(catalog, asked ?? catalog.main, now, t)

  useEffect(() => {
    const items = itemsIn(list.current)
    const chosen = items.find((item) => item.getAttribute('aria-checked') === 'true') ?? items[0]
    chosen?.focus({ preventScroll: true })
  }, [])

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    const items = itemsIn(list.current)
    const at = items.indexOf(document.activeElement as HTMLElement)
    const next = step === 'first' ? 0 : step === 'last' ? items.length - 1 : (at + step + items.length) % items.length
    items[next]?.focus()
  }

  return (
    <Popover id={id} anchor={anchor} onClose={onClose} onKeyDown={onKeyDown}>
      <div ref={list} role="menu" aria-label={t('model.menu')}>
        {asked === null && run === undefined && (
          <Row checked={route === null} onClick={() => pick(null)} name={t('model.main')} />
        )}
        {catalog.providers.map((group) => (
          <div key={group.provider} role="group" aria-label={group.name} className={css['group']}>
            <div className={css['heading']}>{group.name}</div>
            {group.models.map((model) => {
              const own = { provider: group.provider, model: model.model }
              return (
                <Row
                  key={model.model}
                  checked={(route !== null || asked !== null || run !== undefined) && sameModel(now, own)}
                  onClick={() => pick(withModel(now, group.provider, model))}
                  name={model.name}
                  note={sameModel(catalog.main, own) ? t('model.mainsOwn') : ''}
                />
              )
            })}
          </div>
        ))}
        {now !== null && offer !== null && offer.efforts.length > 0 && (
          <div role="group" aria-label={t('model.effort')} className={css['group']}>
            <div className={css['heading']}>{t('model.effort')}</div>
            <div className={css['efforts']}>
              {offer.efforts.map(({ id: level, name }) => (
                <button
                  key={level}
                  type="button"
                  role="menuitemradio"
                  aria-checked={level === effort}
                  className={css['effort']}
                  onClick={() => pick({ provider: now.provider, model: now.model, effort: level })}
                >
                  {name}
                </button>
              ))}
            </div>
          </div>
        )}
        <div className={css['end']} role="none">
          <button
            type="button"
            role="menuitemcheckbox"
            aria-checked={kept}
            className={css['row']}
            disabled={route === null && remembered === null}
            onClick={() => remember(kept ? null : now)}
          >
            <span className={css['box']}>{kept && <Icon name="check" size={12} />}</span>
            <span className={css['rowName']}>{t('model.remember')}</span>
          </button>
          {run !== undefined && (
            <button type="button" role="menuitem" className={css['run']} onClick={run}>
              <Icon name="retry" size={14} />
              {t('model.retry')}
            </button>
          )}
        </div>
      </div>
      {cost !== '' && <div className={css['cost']}>{cost}</div>}
    </Popover>
  )
}

interface RowProps {
  readonly checked: boolean
  readonly name: string
  readonly note?: string
  readonly onClick: () => void
}

function Row({ checked, name, note = '', onClick }: RowProps): JSX.Element {
  return (
    <button type="button" role="menuitemradio" aria-checked={checked} className={css['row']} onClick={onClick}>
      <span className={css['check']}>{checked && <Icon name="check" size={14} />}</span>
      <span className={css['rowName']}>{name}</span>
      {note !== '' && <span className={css['rowNote']}>{note}</span>}
    </button>
  )
}

const STEPS: Readonly<Record<string, 1 | -1 | 'first' | 'last'>> = {
  ArrowDown: 1,
  ArrowRight: 1,
  ArrowUp: -1,
  ArrowLeft: -1,
  Home: 'first',
  End: 'last',
}

function itemsIn(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[role^="menuitem"]:not(:disabled)') ?? [])]
}
