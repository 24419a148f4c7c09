import { useState } from 'react'
import type { FocusEvent, FormEvent } from 'react'

/**
 * Until a field is left, it shows what was typed into it. A value that comes back by the address is a moment late:
 * React would write the previous one into the field, and the browser forget the cursor and half a date.
 */
export const useTypedValue = (value: string) => {
  const [typed, setTyped] = useState<string>()
  return {
    value: typed ?? value,
    onInput: ({ currentTarget }: FormEvent<HTMLInputElement>) => setTyped(currentTarget.value),
    onBlur: (_: FocusEvent<HTMLInputElement>) => setTyped(undefined),
  }
}
