/** A reservation in the imported calendar of a unit. Days are those of the space. */
export interface ImportedStay {
  readonly arrival: string
  readonly departure: string
  /** How many reservations of the calendar have these days. */
  readonly reservations: number
}

/** An imported calendar whose reservations are compared with the bookings of its unit. */
export interface ImportedCalendar {
  readonly id: string
  readonly account_id: string
  readonly unit_id: string
  readonly name: string
}

/**
 * What a reservation is called. Its days, because many programs give an event another UID each time that they are
 * asked, and each of them would be another conflict.
 */
export const stayId = ({ arrival, departure }: ImportedStay) => `${arrival}/${departure}`
