/** A reservation in the imported calendar of a unit. Its days are local to the space. */
export interface ImportedStay {
  readonly arrival: string
  readonly departure: string
  /** The number of reservations in the calendar with these days. */
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
 * The id of a reservation: its days. Many programs change the UID of an event with each export, so that by UID each
 * fetch would create another conflict.
 */
export const stayId = ({ arrival, departure }: ImportedStay) => `${arrival}/${departure}`
