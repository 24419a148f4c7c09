/**
 * Runs in a page: the texts that are cut off without an ellipsis, or leave the box, dialog or screen that they are in. On
 * an English page also with labels of buttons that are three times as long: those of other languages are longer. React
 * never meets these labels, as all of it happens at once.
 */
export const findCutTexts = `(() => {
  const root = [...document.querySelectorAll('[role=dialog][aria-modal=true]')].at(-1) ?? document.body
  const textsIn = (element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    const texts = []
    while (walker.nextNode()) if (walker.currentNode.data.trim()) texts.push(walker.currentNode)
    return texts
  }
  const styles = new Map()
  const styleOf = (element) => {
    if (!styles.has(element)) styles.set(element, getComputedStyle(element))
    return styles.get(element)
  }
  const isBox = ({ overflowX, borderLeftWidth, backgroundColor }) =>
    overflowX !== 'visible' || borderLeftWidth !== '0px' || backgroundColor !== 'rgba(0, 0, 0, 0)'
  const leaves = (text) => {
    if (!text.parentElement.checkVisibility({ visibilityProperty: true })) return false
    const range = document.createRange()
    range.selectNodeContents(text)
    const rects = [...range.getClientRects()]
    let isOutside = false
    for (let box = text.parentElement; box; box = box.parentElement) {
      const style = styleOf(box)
      // What is there for screen readers only.
      if (style.clipPath.startsWith('inset(')) return false
      const { left, right } = box.getBoundingClientRect()
      const isOut = rects.some((rect) => rect.left < left - 1 || rect.right > right + 1)
      if (isOut && style.textOverflow === 'ellipsis') return false
      if (/auto|scroll/.test(style.overflowX) && box.role !== 'dialog') return isOutside
      isOutside ||= isOut && style.display !== 'inline' && isBox(style)
      if (/absolute|fixed/.test(style.position)) return isOutside
    }
    return isOutside
  }
  const find = () =>
    textsIn(root)
      .filter(leaves)
      .map((text) => text.data.trim() + ' in ' + text.parentElement.outerHTML.slice(0, 120))
  const plain = find()
  if (document.documentElement.lang !== 'en') return plain
  const labels = [...root.querySelectorAll('.mantine-Button-label')].flatMap(textsIn).map((text) => [text, text.data])
  for (const [text, label] of labels) text.data = [label, label, label].join(' ')
  const long = find()
  for (const [text, label] of labels) text.data = label
  return [...plain, ...long]
})()`
