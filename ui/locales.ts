/** All words of the surfaces. */

/** `t(key, params)`: the template of `key` with `{name}` placeholders filled. */
export type Translate = (key: LocaleKey, params?: Readonly<Record<string, string | number>>) => string

export type LocaleKey = string
