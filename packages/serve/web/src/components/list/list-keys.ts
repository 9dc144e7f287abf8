import { useKeys } from '../../browser/use-keys.ts';

const links = '.tile-link, .rows .app-name a';

/** `j` and `k` go through the applications of the list, `x` selects the one at hand; Enter opens it, as it is a link. */
export function useListKeys(): void {
  useKeys({ j: () => step(1), k: () => step(-1), x: select });
}

const atHand = () => document.activeElement?.closest('.tile, .rows tbody .row');

/** What is beyond the edge is drawn as soon as the one before it comes into sight. */
function step(by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>(links)];
  const at = all.findIndex((link) => atHand()?.contains(link));
  const next = all[at < 0 ? (by === 1 ? 0 : -1) : at + by];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'nearest' });
}

function select(): void {
  atHand()?.querySelector<HTMLElement>('input[type=checkbox]')?.click();
}
