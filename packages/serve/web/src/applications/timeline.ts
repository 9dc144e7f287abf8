import type { HistoryEntry, RecordKind } from '../api/history.ts';
import { exactTime } from '../browser/zone.ts';
import type { Lane, LaneMark } from '../components/plot/lane-plot.tsx';
import { told } from '../i18n/told.ts';
import { lookOf } from './status.ts';

/** What people call each kind of record, with its colour and mark in the plot. */
export const kindLooks: Readonly<Record<RecordKind, { name: string; colour: string; symbol: string }>> = {
  SyncStarted: { name: 'Syncs begun', colour: 'blue', symbol: '▸' },
  SyncEnded: { name: 'Syncs', colour: 'teal', symbol: '✓' },
  Drift: { name: 'Drifts', colour: 'yellow', symbol: '⇅' },
  Health: { name: 'Health', colour: 'violet', symbol: '♥' },
  Rendered: { name: 'Renders', colour: 'gray', symbol: '≡' },
  Held: { name: 'Held back', colour: 'orange', symbol: 'Ⅱ' },
  Quarantined: { name: 'Quarantines', colour: 'red', symbol: '!' },
  Released: { name: 'Releases', colour: 'teal', symbol: '↑' },
  Acted: { name: 'Acts by people', colour: 'cyan', symbol: '☝' },
};

/** Kinds that are shown until somebody chooses others: a sync is one bar from its end, and renders are many. */
export const usualKinds: readonly RecordKind[] = [
  'SyncEnded',
  'Drift',
  'Health',
  'Held',
  'Quarantined',
  'Released',
  'Acted',
];

/** Lanes of one plot. */
export const mostLanes = 40;

/** A lane for each application, the one with the most to tell first, the oldest mark first. */
export function lanesOf(entries: readonly HistoryEntry[]): Lane[] {
  const lanes = new Map<string, LaneMark[]>();
  for (const entry of entries) {
    const marks = lanes.get(entry.application) ?? [];
    lanes.set(entry.application, marks);
    marks.push(markOf(entry));
  }
  return [...lanes]
    .sort(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1))
    .slice(0, mostLanes)
    .map(([application, marks]) => ({
      id: application,
      name: application.replace(/^[^/]*\//, ''),
      marks: marks.reverse(),
    }));
}

/** The colour and mark of what happened; a change of health has those of what it became. */
export function lookOfEntry({ kind, summary }: Pick<HistoryEntry, 'kind' | 'summary'>): {
  name: string;
  colour: string;
  symbol: string;
} {
  const look = kindLooks[kind] ?? { name: kind, colour: 'gray', symbol: '·' };
  const became = kind === 'Health' ? summary.split(' → ')[1] : undefined;
  return became === undefined ? look : { ...look, ...lookOf(became) };
}

/** A sync is a bar from its beginning to its end; the rest are points. */
function markOf({ id, time, kind, detail, actor, summary }: HistoryEntry): LaneMark {
  const at = Date.parse(time);
  const { colour, symbol } = lookOfEntry({ kind, summary });
  const failed = kind === 'SyncEnded' && detail.phase !== 'Succeeded';
  const label = `${exactTime(at)}: ${told(summary)} (${told(actor)})`;
  const begun = typeof detail.startedAt === 'string' ? Date.parse(detail.startedAt) : Number.NaN;
  const look = { id: String(id), label, colour: failed ? 'red' : colour, symbol: failed ? '✕' : symbol };
  return kind === 'SyncEnded' && at - begun >= 60_000 ? { ...look, at: begun, until: at } : { ...look, at };
}

export const spans = [
  { value: '1h', label: '1 hour', hours: 1 },
  { value: '6h', label: '6 hours', hours: 6 },
  { value: '24h', label: '1 day', hours: 24 },
  { value: '7d', label: '7 days', hours: 168 },
  { value: '30d', label: '30 days', hours: 720 },
] as const;

/** The revision and commit message of an entry, short. */
export function revisionOf({ detail }: HistoryEntry): string {
  const revisions = Array.isArray(detail.revisions) ? detail.revisions.map(String) : [];
  return revisions.map((one) => (/^[0-9a-f]{40,64}$/.test(one) ? one.slice(0, 7) : one)).join(', ');
}

/** A value of a field in one line. */
export function valueText(value: unknown): string {
  return value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
}
