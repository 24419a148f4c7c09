// How long does it take to import 500 listings with photos and two years of bookings from one Hostaway account?
import pMap from 'p-map'
import { connection } from '../server/test/hostaway-live.ts'
import { openHostaway } from '../sandbox/test/hostaway-caller.ts'
import {
  arrivals,
  day,
  firstDay,
  lastDay,
  listings,
  photosPerRoom,
  servePhotos,
  stayNights,
  upcoming,
} from './channex-portfolio.ts'
import { withBenchWorld } from './bench-world.ts'
import { measureImport } from './import-steps.ts'

await withBenchWorld(async (bench) => {
  await using hostaway = await openHostaway()
  await using photos = await servePhotos()
  const ids = await pMap(
    Array.from({ length: listings }, (_, number) => number),
    (number) =>
      hostaway.addListing({
        name: `Loft ${number}`,
        address: `Via Cavour ${number}, Lucca`,
        listingImages: Array.from({ length: photosPerRoom }, (_, at) => ({
          url: `${photos.url}/${number}-${at}.jpg`,
          sortOrder: at + 1,
        })),
      }),
    { concurrency: 8 },
  )
  const stays = ids.flatMap((id) => arrivals.map((arrival) => ({ id, arrival })))
  await pMap(stays, ({ id, arrival }) => hostaway.reserve(id, day(arrival), day(arrival + stayNights)), {
    concurrency: 8,
  })
  console.log(
    `${listings} listings, ${listings * photosPerRoom} photos, ${stays.length} bookings from ${day(firstDay)} to ` +
      `${day(lastDay)}, of which ${upcoming} are not over\n`,
  )
  // The documented limits: 15 calls in 10 s from one address, 20 for one account.
  await hostaway.control('PUT', 'limits', { ip: 15, account: 20 })
  await measureImport(bench, {
    configs: [connection(hostaway.url)],
    expected: {
      spaces: listings,
      units: listings,
      'rate plans': listings,
      listings,
      photos: listings * photosPerRoom,
      bookings: upcoming,
    },
    control: hostaway.control,
  })
})
