import { type Facet, facets } from '../api/application-list.ts';
import { ownListSearch } from './peer-addresses.ts';

/** What the address of the list says, and only that: it can be sent to somebody, or kept as a view. */
export interface ListState {
  readonly text: string;
  readonly sort: string;
  readonly view: 'tiles' | 'list' | 'summary';
  readonly favourites: boolean;
  readonly chosen: Readonly<Partial<Record<Facet, readonly string[]>>>;
}

const views = ['tiles', 'list', 'summary'] as const;

export function readListState(given: URLSearchParams): ListState {
  const search = ownListSearch(given);
  const chosen: Partial<Record<Facet, readonly string[]>> = {};
  for (const facet of facets) {
    const values = search.getAll(facet);
    if (values.length > 0) chosen[facet] = values;
  }
  return {
    text: search.get('text') ?? '',
    sort: search.get('sort') ?? 'urgency',
    view: views.find((view) => view === search.get('view')) ?? 'tiles',
    favourites: search.get('favourites') === 'true',
    chosen,
  };
}

/** The state as the query of an address; what is as usual is left out. */
export function writeListState({ text, sort, view, favourites, chosen }: ListState): string {
  const search = new URLSearchParams();
  if (text) search.set('text', text);
  for (const facet of facets) for (const value of chosen[facet] ?? []) search.append(facet, value);
  if (favourites) search.set('favourites', 'true');
  if (sort !== 'urgency') search.set('sort', sort);
  if (view !== 'tiles') search.set('view', view);
  return search.toString();
}

/** What the API is asked for: without what only concerns the look of it. */
export function listQuery(state: ListState, favourites: readonly string[]): string {
  const search = new URLSearchParams(writeListState({ ...state, view: 'tiles', favourites: false }));
  // nothing is named so, where nobody has a favourite
  if (state.favourites) search.set('only', favourites.join(',') || '/');
  return search.toString();
}

/** Changes the state as the address has it by then. */
export type EditList = (edit: (state: ListState) => ListState) => void;

export function toggleValue(state: ListState, facet: Facet, value: string): ListState {
  const before = state.chosen[facet] ?? [];
  const after = before.includes(value) ? before.filter((one) => one !== value) : [...before, value];
  const { [facet]: _, ...rest } = state.chosen;
  return { ...state, chosen: after.length > 0 ? { ...rest, [facet]: after } : rest };
}

/** How many values are filtered by. */
export function filterCount({ chosen, favourites }: Pick<ListState, 'chosen' | 'favourites'>): number {
  return Object.values(chosen).reduce((sum, values) => sum + values.length, favourites ? 1 : 0);
}
