import { changeCalendar, changeIntervals, readCalendar } from './calendar.ts'
import { Fail, type Reply } from './envelope.ts'
import { addImages, listImages } from './images.ts'
import { addListing, changeListing, listListings, showListing } from './listings.ts'
import {
  addReservation,
  cancelReservation,
  changeReservation,
  listReservations,
  showReservation,
} from './reservations.ts'
import type { Asked, Vendor } from './vendor.ts'
import { addWebhook, changeWebhook, listWebhooks, removeWebhook, showWebhook } from './webhooks.ts'

type Handler = (vendor: Vendor, asked: Asked) => Reply

const routes: Record<string, Record<string, Handler>> = {
  '/listings': { GET: listListings, POST: addListing },
  '/listings/#': { GET: showListing, PUT: changeListing },
  '/listings/#/calendar': { GET: readCalendar, PUT: changeCalendar },
  '/listings/#/calendarIntervals': { PUT: changeIntervals },
  '/listings/#/images': { GET: listImages, POST: addImages },
  '/reservations': { GET: listReservations, POST: addReservation },
  '/reservations/#': { GET: showReservation, PUT: changeReservation },
  '/reservations/#/statuses/cancelled': { PUT: cancelReservation },
  '/webhooks/unifiedWebhooks': { GET: listWebhooks, POST: addWebhook },
  '/webhooks/unifiedWebhooks/#': { GET: showWebhook, PUT: changeWebhook, DELETE: removeWebhook },
}

/** What answers this call. */
export function findHandler(method: string, path: string): Handler {
  const handlers = routes[path.replace(/\/\d{1,15}(?=\/|$)/g, '/#')]
  if (!handlers) throw new Fail(404, 'The requested endpoint does not exist.')
  const handler = handlers[method]
  if (!handler) throw new Fail(405, `${method} is not allowed here.`)
  return handler
}

export const numbersIn = (path: string) =>
  [...path.matchAll(/\/(\d{1,15})(?=\/|$)/g)].map(([, id]) => Number(id))
