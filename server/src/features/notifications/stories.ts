/** What happened, as far as a message tells it: plain facts, kept with the message. */
export interface BookingStory {
  readonly organization: string
  readonly guestName: string
  readonly unitName: string
  readonly spaceName: string
  readonly address: string | null
  /** Local days of the space. */
  readonly checkIn: string
  readonly checkOut: string
  readonly guests: number
  readonly totalCents: number | null
  readonly currency: string
  readonly bookingId: string
  readonly status: string
}

export interface PaymentStory {
  readonly organization: string
  readonly guestName: string | null
  readonly unitName: string | null
  readonly bookingId: string | null
  readonly amountCents: number
  readonly currency: string
}

export interface AlertStory {
  readonly organization: string
  readonly unitName: string | null
  readonly spaceName: string | null
  /** The connection to a PMS, or the endpoint of a partner. */
  readonly targetName: string | null
  /** In the words of whoever found it. */
  readonly message: string
  readonly hint: string
  readonly since: string
}

/** Words that a person wrote to try the way. */
export interface TestStory {
  readonly organization: string
  readonly subject: string
  readonly body: string
}

export type Story = BookingStory | PaymentStory | AlertStory | TestStory
