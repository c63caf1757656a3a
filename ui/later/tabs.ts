/** Tabs for hosts without a right sidebar: loaded with the first drawer. */

export { Content, List, Root, Trigger } from '@radix-ui/react-tabs'
