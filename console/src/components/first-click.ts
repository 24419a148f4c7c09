/** False for the second click of a double click: the button does something else by then. By keyboard each press counts. */
export const isFirstClick = ({ detail }: { detail: number }) => detail < 2
