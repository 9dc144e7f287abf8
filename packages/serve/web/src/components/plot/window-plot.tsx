import type { SyncWindow } from '../../api/model.ts';
import { windowWords } from '../../applications/projects.ts';
import { formatTime } from '../../browser/zone.ts';
import { LanePlot } from './lane-plot.tsx';

/** A sync window with the times in which it is open, in milliseconds. */
export interface WindowOpenings {
  readonly window: SyncWindow;
  /** What is wrong with it. */
  readonly problem?: string;
  readonly openings: readonly { readonly from: number; readonly to: number }[];
}

const week = 7 * 86_400_000;

/** Sync windows of the week ahead as a calendar, a lane for each. */
export function WindowPlot({ label, at, items }: { label: string; at: number; items: readonly WindowOpenings[] }) {
  return (
    <LanePlot
      label={label}
      from={at}
      to={at + week}
      lanes={items.map(({ window, openings }, index) => ({
        id: `${index} ${windowWords(window)}`,
        name: windowWords(window),
        marks: openings.map(({ from, to }) => ({
          id: `${index} ${from}`,
          at: Math.max(from, at),
          until: to,
          colour: window.kind === 'deny' ? 'red' : 'teal',
          label: `${windowWords(window)}: ${formatTime(from)} – ${formatTime(to)}`,
        })),
      }))}
    />
  );
}
