/** Icons: the host's where the mounting layer supplies them, else plain inline SVG. Decorative: hidden from
 *  assistive technology; the button around one carries the name. */

export type IconName = 'close' | 'copy' | 'check' | 'stop' | 'retry' | 'left' | 'right' | 'chevron' | 'down' | 'plus' | 'edit' | 'info' | 'send' | 'hide' | 'image' | 'draft'
