/** Each set of formats has one collator. */
export const countCollators = `
  window.collators = 0
  Intl.Collator = new Proxy(Intl.Collator, {
    construct(target, values) {
      window.collators += 1
      return new target(...values)
    },
  })
`

/** How many pixels are between the bar that is shown and the price of a night. */
export const spaceBefore = (night: string) => `(() => {
  const cell = document.querySelector('${night}')
  const price = document.createRange()
  price.selectNodeContents(cell.lastElementChild ?? cell)
  return price.getBoundingClientRect().left - document.querySelector('[data-bar]').getBoundingClientRect().right
})()`
