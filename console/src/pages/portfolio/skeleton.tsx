import look from './skeleton.module.css'

/** Holds the place of the groups while they are read, in their size. */
export const GroupSkeleton = () => (
  <div className={look.groups} role="status" aria-label="Loading the portfolio">
    {[3, 4, 2].map((rows, index) => (
      <div key={index} className={look.group}>
        <span className={look.title} />
        {Array.from({ length: rows }, (_, row) => (
          <span key={row} className={look.row} />
        ))}
      </div>
    ))}
  </div>
)
