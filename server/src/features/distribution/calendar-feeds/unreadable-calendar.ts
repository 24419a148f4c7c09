/** The text cannot be read as a calendar. The message is shown to users. */
export class UnreadableCalendar extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UnreadableCalendar'
  }
}
