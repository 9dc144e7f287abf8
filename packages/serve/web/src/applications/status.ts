/** Colour and symbol of each status word, one table for badges, tree and tiles. */
export interface StatusLook {
  readonly colour: string;
  readonly symbol: string;
}

const looks: Readonly<Record<string, StatusLook>> = {
  Healthy: { colour: 'teal', symbol: '♥' },
  Synced: { colour: 'teal', symbol: '✓' },
  Succeeded: { colour: 'teal', symbol: '✓' },
  Successful: { colour: 'teal', symbol: '✓' },
  Progressing: { colour: 'blue', symbol: '◔' },
  Running: { colour: 'blue', symbol: '◔' },
  Paused: { colour: 'violet', symbol: 'Ⅱ' },
  Pending: { colour: 'gray', symbol: '…' },
  Inconclusive: { colour: 'yellow', symbol: '?' },
  Omitted: { colour: 'gray', symbol: '–' },
  Skipped: { colour: 'gray', symbol: '–' },
  Terminating: { colour: 'orange', symbol: '◔' },
  OutOfSync: { colour: 'yellow', symbol: '⇅' },
  Missing: { colour: 'yellow', symbol: '?' },
  Suspended: { colour: 'violet', symbol: 'Ⅱ' },
  Degraded: { colour: 'red', symbol: '✕' },
  Hydrating: { colour: 'blue', symbol: '◔' },
  Hydrated: { colour: 'teal', symbol: '✓' },
  Failed: { colour: 'red', symbol: '✕' },
  Error: { colour: 'red', symbol: '✕' },
};

export function lookOf(status: string | undefined): StatusLook {
  return looks[status ?? ''] ?? { colour: 'gray', symbol: '–' };
}

/** Worst first, as the peers rank them. */
const ranking = ['Degraded', 'Unknown', 'Missing', 'Progressing', 'Suspended', 'Healthy'];

export function healthRank(status: string | undefined): number {
  const rank = ranking.indexOf(status ?? 'Unknown');
  return rank < 0 ? 1 : rank;
}
