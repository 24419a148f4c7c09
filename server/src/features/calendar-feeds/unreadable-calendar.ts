/** The text cannot be understood as a calendar; the message is for people. */
export class UnreadableCalendar extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UnreadableCalendar'
  }
}
