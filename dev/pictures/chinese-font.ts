/** Whether Chinese can be drawn here. */
import { openBrowser } from '../../test/kit/browser.ts'

/** Without a font every character is the same empty box. */
export async function hasChinese(): Promise<boolean> {
  const page = await (await openBrowser()).newPage()
  const differ = await page.evaluate(() => {
    const [one, other] = ['问', '答'].map((text) => {
      const canvas = document.createElement('canvas')
      const pen = canvas.getContext('2d')
      if (pen === null) return ''
      pen.font = '40px sans-serif'
      pen.fillText(text, 10, 60)
      return canvas.toDataURL()
    })
    return one !== other
  })
  await page.close()
  return differ
}
