// How long does it take to import 500 listings with photos and two years of bookings from Channex, and is anything made twice?
import { connection } from '../server/test/channex-live.ts'
import { openChannex } from './channex.ts'
import {
  arrivals,
  day,
  firstDay,
  lastDay,
  listings,
  photosPerRoom,
  properties,
  seedPortfolio,
  servePhotos,
  upcoming,
} from './channex-portfolio.ts'
import { withBenchWorld } from './bench-world.ts'
import { measureImport } from './import-steps.ts'

await withBenchWorld(async (bench) => {
  await using channex = await openChannex(bench)
  await using photos = await servePhotos()
  const propertyIds = await seedPortfolio(channex, photos.url)
  console.log(
    `${listings} listings of ${properties} properties, ${listings * photosPerRoom} photos, ` +
      `${arrivals.length * listings} bookings from ${day(firstDay)} to ${day(lastDay)}, of which ${upcoming} are not over\n`,
  )
  await measureImport(bench, {
    configs: propertyIds.map((id) => connection(channex.url, id)),
    expected: {
      spaces: properties,
      units: listings,
      'rate plans': listings,
      listings,
      photos: listings * photosPerRoom,
      bookings: upcoming,
    },
    control: channex.control,
  })
})
