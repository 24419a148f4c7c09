import { useFormat } from '../../i18n/format.ts'
import type { Bucket } from './buckets.ts'
import type { Grouping } from './period.ts'

/** What a bucket is called: its day, the first and last day of its week, its month. */
export const useBucketName = (by: Grouping) => {
  const format = useFormat()
  return ({ from, to }: Pick<Bucket, 'from' | 'to'>): string => {
    if (by === 'day') return format.longDate(from)
    return by === 'month' ? format.month(from) : `${format.dayMonth(from)} – ${format.date(to)}`
  }
}
