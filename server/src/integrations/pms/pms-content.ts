/** The content that the PMS must show for one unit. */
export interface UnitContent {
  readonly name: string
  readonly type: string
  readonly bedrooms: number
  readonly bathrooms: number
  readonly max_guests: number
  readonly quantity: number
  readonly base_price_cents: number
  readonly currency: string
  /** Whether the unit may be sold at all. */
  readonly open: boolean
  /** Photos of the unit itself; left out when the photos are not managed here. */
  readonly photos?: readonly Photo[]
  readonly space: {
    readonly name: string
    readonly address: string | null
    readonly city: string | null
    readonly state: string | null
    readonly zip: string | null
    readonly country: string | null
    readonly timezone: string
    readonly description: string | null
    readonly amenities: readonly string[]
    /** Photos of the property, shared by all of its units. */
    readonly photos?: readonly Photo[]
  }
}

/** A photo that the PMS downloads. */
export interface Photo {
  readonly url: string
  /** From 0. */
  readonly position: number
  readonly description: string | null
}

/** What of it the PMS shows. */
export type ShownContent = Partial<Omit<UnitContent, 'space'>> & {
  readonly space?: Partial<UnitContent['space']>
}

type Texts = Pick<UnitContent['space'], 'address' | 'city' | 'state' | 'zip' | 'description'>

/** The texts as a PMS keeps them; with other spaces and line ends it would never show what was sent. */
export const plainTexts = ({ address, city, state, zip, description }: Texts): Texts => ({
  address: plainText(address),
  city: plainText(city),
  state: plainText(state),
  zip: plainText(zip),
  description: plainText(description),
})

export const plainText = (text: string | null): string | null => text?.replaceAll('\r\n', '\n').trim() || null
