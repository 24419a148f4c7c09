import type { ReactNode } from 'react'

const icon = (drawing: ReactNode) => () => (
  <svg
    viewBox="0 0 16 16"
    width="1em"
    height="1em"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.6"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    {drawing}
  </svg>
)

export const Check = icon(<path d="M3.2 8.6l3.1 3.1 6.5-7" />)
export const Arrows = icon(
  <path d="M13 8a5 5 0 0 1-8.9 3.1M3 8a5 5 0 0 1 8.9-3.1M12.2 2.4v2.7H9.5M3.8 13.6v-2.7h2.7" />,
)
export const Clock = icon(<path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.6" />)
export const Warning = icon(<path d="M8 2.4l6.2 10.9H1.8zM8 6.4v3.1M8 11.5v.1" />)
export const Pause = icon(<path d="M5.8 3.8v8.4M10.2 3.8v8.4" />)
export const Search = icon(<path d="M7.2 12.2a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM10.9 10.9L14 14" />)
export const Sliders = icon(<path d="M2.4 4.6h5M11 4.6h2.6M2.4 11.4H5M8.6 11.4h5M9.2 2.8v3.6M6.8 9.6v3.6" />)
export const Pencil = icon(<path d="M10.6 3.2l2.2 2.2-7.3 7.3-2.8.6.6-2.8z" />)
export const Cross = icon(<path d="M4 4l8 8M12 4l-8 8" />)
export const Keyboard = icon(
  <path d="M1.8 4.2h12.4v7.6H1.8zM4.4 6.7v.1M7 6.7v.1M9.4 6.7v.1M11.8 6.7v.1M5 9.4h6" />,
)
export const Arrow = icon(<path d="M2.8 8h10M9.2 4.4L12.8 8l-3.6 3.6" />)
export const Home = icon(<path d="M2.6 7.4L8 2.6l5.4 4.8M4 6.4v7h8v-7M6.6 13.4V9.6h2.8v3.8" />)
export const Grid = icon(<path d="M2.6 2.6h4v4h-4zM9.4 2.6h4v4h-4zM2.6 9.4h4v4h-4zM9.4 9.4h4v4h-4z" />)
export const Calendar = icon(<path d="M2.4 3.6h11.2v10H2.4zM2.4 6.8h11.2M5.4 2v2.6M10.6 2v2.6" />)
export const ChevronFirst = icon(<path d="M12 3.6L7.6 8l4.4 4.4M4.4 3.6v8.8" />)
export const ChevronLeft = icon(<path d="M10 3.6L5.6 8l4.4 4.4" />)
export const ChevronRight = icon(<path d="M6 3.6L10.4 8 6 12.4" />)
export const ChevronDown = icon(<path d="M3.6 6L8 10.4 12.4 6" />)
export const More = icon(<path d="M3.4 8h.1M8 8h.1M12.6 8h.1" strokeWidth="2.4" />)
export const Undo = icon(<path d="M3 6.4h6.4a3.6 3.6 0 0 1 0 7.2H6M5.8 3.4L2.8 6.4l3 3" />)
export const Plug = icon(<path d="M5.6 2.4v3M10.4 2.4v3M3.8 5.4h8.4v2.2a4.2 4.2 0 0 1-8.4 0zM8 11.8v2.4" />)
export const Gear = icon(
  <path d="M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6L5 5M11 11l1.4 1.4M12.4 3.6L11 5M5 11l-1.4 1.4" />,
)
export const Scroll = icon(<path d="M3.4 2.4h9.2v11.2H3.4zM5.8 5.4h4.4M5.8 8h4.4M5.8 10.6h2.6" />)
export const Rows = icon(<path d="M2.4 4h11.2M2.4 8h11.2M2.4 12h11.2" />)
export const Inbox = icon(<path d="M2.4 9.2l2-5.6h7.2l2 5.6v3.6H2.4zM2.4 9.2h3.2l.9 1.7h3l.9-1.7h3.2" />)
export const Bed = icon(<path d="M2 12.6V4M2 10.4h12M14 12.6V8.8a2 2 0 0 0-2-2H7v3.6M4.6 8.2v.1" />)
export const Book = icon(<path d="M3.4 2.6h7.4l1.8 1.8v9H3.4zM5.8 6h4.4M5.8 8.6h4.4M5.8 11.2h2.4" />)
export const Coins = icon(<path d="M1.8 4h12.4v8H1.8zM1.8 6.8h12.4M4.2 9.6h2.4" />)
export const Chart = icon(<path d="M2.4 13.6h11.2M4.4 11V8M8 11V3.4M11.6 11V6" />)
export const Download = icon(<path d="M8 2.6v7.2M4.8 6.8L8 10l3.2-3.2M2.8 13.4h10.4" />)
export const Plus = icon(<path d="M8 3v10M3 8h10" />)
export const Mail = icon(<path d="M2 3.8h12v8.4H2zM2.4 4.4L8 9l5.6-4.6" />)
export const Tag = icon(<path d="M8.4 2.4h5.2v5.2l-6 6-5.2-5.2zM10.8 5.2v.1" />)
export const Hand = icon(<path d="M5.4 1.8h5.2l3.6 3.6v5.2l-3.6 3.6H5.4l-3.6-3.6V5.4zM5 8h6" />)
export const Mark = () => (
  <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="8" fill="#17605a" />
    <path
      d="M8 9l8 15 8-15"
      fill="none"
      stroke="#fff"
      strokeWidth="3.2"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
    <circle cx="16" cy="9.4" r="2.2" fill="#9fe0d3" />
  </svg>
)
