/** Strokes of the page's own icons, in a box of 24 by 24. */
const strokes = {
  applications: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  sets: 'M12 3l9 5-9 5-9-5zM3 12l9 5 9-5M3 16l9 5 9-5',
  resources: 'M12 3l8 4.500v9L12 21l-8-4.500v-9zM12 12l8-4.500M12 12v9M12 12L4 7.500',
  rollouts: 'M4 18V9M10 18V5M16 18v-7M21 18H3',
  workflows: 'M4 5h6v5H4zM14 14h6v5h-6zM7 10v6.5h7',
  events: 'M13 3L5 14h6l-1 7 9-12h-6z',
  timeline: 'M12 7v5l3.5 2M12 3a9 9 0 1 0 9 9 9 9 0 0 0-9-9z',
  repositories: 'M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h11',
  clusters: 'M4 5h16v6H4zM4 13h16v6H4zM8 8h.01M8 16h.01',
  projects: 'M3 6h6l2 3h10v10H3z',
  accounts: 'M12 12a4 4 0 1 0-4-4 4 4 0 0 0 4 4zM4 21a8 8 0 0 1 16 0',
  certificates: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.500-1-8-4-8-9V6zM9 12l2 2 4-4',
  keys: 'M15 9a4 4 0 1 0-4 4 4 4 0 0 0 4-4zM13.500 12.500L20 19M17 16l2-2',
  notifications: 'M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4',
  appearance: 'M12 3a9 9 0 0 0 0 18zM12 3a9 9 0 0 1 0 18',
  upgrade: 'M12 19V7M6 12l6-6 6 6M5 3h14',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  extension: 'M9 4a2 2 0 0 1 4 0v2h5v5h1a2 2 0 0 1 0 4h-1v5H4v-5h1a2 2 0 0 0 0-4H4V6h5z',
  search: 'M11 5a6 6 0 1 0 6 6 6 6 0 0 0-6-6zM20 20l-4.500-4.500',
  menu: 'M4 7h16M4 12h16M4 17h16',
  help: 'M9.500 9a2.500 2.500 0 1 1 3.500 2.300c-.8.400-1 1-1 1.700M12 17h.01M12 3a9 9 0 1 0 9 9 9 9 0 0 0-9-9z',
  star: 'M12 4l2.500 5.200 5.700.8-4.100 4 1 5.700L12 17l-5.100 2.700 1-5.700-4.100-4 5.700-.8z',
  collapse: 'M14 6l-6 6 6 6',
  expand: 'M10 6l6 6-6 6',
  up: 'M6 14l6-6 6 6',
  down: 'M6 10l6 6 6-6',
  sun: 'M12 8a4 4 0 1 0 4 4 4 4 0 0 0-4-4zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500L19 19M19 5l-1.500 1.500M6.500 17.500L5 19',
  moon: 'M20 14a8 8 0 1 1-9.500-9.800A6.500 6.500 0 0 0 20 14z',
  plus: 'M12 5v14M5 12h14',
  more: 'M12 5h.01M12 12h.01M12 19h.01',
  minus: 'M5 12h14',
  open: 'M9 5H5v14h14v-4M13 5h6v6M19 5l-9 9',
  fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
} as const;

export type IconName = keyof typeof strokes;

export function Icon({ name, size = 18, filled = false }: { name: IconName; size?: number; filled?: boolean }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill={filled ? 'currentColor' : 'none'}
      stroke="currentColor"
      strokeWidth={1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
      style={{ flexShrink: 0 }}
    >
      <path d={strokes[name]} />
    </svg>
  );
}
