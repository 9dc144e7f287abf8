import { keepPreviousData, type QueryClient, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import {
  type ApplicationList,
  type ApplicationRow,
  type ListChange,
  pageSize,
  readApplications,
} from '../api/application-list.ts';
import { apiPath } from '../api/client.ts';
import { useStream } from '../api/use-stream.ts';

/** Begins the keys of all pages of the list. */
export const listName = 'application-list';
const keyOf = (query: string, page?: number) => (page === undefined ? [listName, query] : [listName, query, page]);

/** Least milliseconds between two reads of a list whose order changes all the time. */
const calm = 1000;

export interface ShownList {
  /** The first page's answer; that of the former query while the new one is read. */
  readonly list: ApplicationList | undefined;
  readonly error: unknown;
  readonly loading: boolean;
  readonly connected: boolean;
  readonly retry: () => void;
  /** Undefined while the row's page is read. */
  readonly rowAt: (index: number) => ApplicationRow | undefined;
  /** Says which rows are seen, so that their pages are read. */
  readonly show: (first: number, last: number) => void;
}

/** Reads the first page of a list before anybody shows it, unless it was read so many milliseconds ago. */
export function prefetchApplications(queries: QueryClient, query: string, staleTime = 1000): Promise<void> {
  return queries.prefetchQuery({
    queryKey: keyOf(query, 0),
    queryFn: () => readApplications(query, 0),
    staleTime,
    gcTime: 30_000,
  });
}

/** The list of applications page by page, kept as the server has it. */
export function useApplicationList(query: string): ShownList {
  const queries = useQueryClient();
  const [range, setRange] = useState({ first: 0, last: 0 });
  // asked for before anything is drawn, and not after: the answer is on its way meanwhile
  useMemo(() => void prefetchApplications(queries, query, Number.POSITIVE_INFINITY), [queries, query]);
  const head = useQuery({
    queryKey: keyOf(query, 0),
    queryFn: () => readApplications(query, 0),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
  });
  const wanted = useMemo(() => {
    const pages = [];
    for (let page = Math.max(1, range.first); page <= range.last; page++) pages.push(page);
    return pages;
  }, [range]);
  const rest = useQueries({
    queries: wanted.map((page) => ({
      queryKey: keyOf(query, page),
      queryFn: () => readApplications(query, page),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 30_000,
    })),
  });
  const loaded = new Map<number, ApplicationList>();
  if (head.data) loaded.set(0, head.data);
  wanted.forEach((page, index) => {
    const data = rest[index]?.data;
    if (data) loaded.set(page, data);
  });
  const show = useCallback((first: number, last: number) => {
    const next = { first: Math.floor(first / pageSize), last: Math.floor(last / pageSize) };
    setRange((before) => (before.first === next.first && before.last === next.last ? before : next));
  }, []);
  const connected = useChanges(queries, query, head.isPlaceholderData ? undefined : head.data?.version);
  return {
    list: head.data,
    error: head.error,
    loading: head.isLoading,
    connected,
    retry: () => void head.refetch(),
    rowAt: (index) => loaded.get(Math.floor(index / pageSize))?.items[index % pageSize],
    show,
  };
}

function useChanges(queries: QueryClient, query: string, version: string | undefined): boolean {
  // the version with which a query was first read; what comes later the stream itself has told
  const opened = useRef<{ query: string; version: string }>(undefined);
  if (version !== undefined && opened.current?.query !== query) opened.current = { query, version };
  const since = opened.current?.query === query ? opened.current.version : undefined;
  const again = useCalm(() => void queries.invalidateQueries({ queryKey: keyOf(query) }), calm);
  const url =
    since === undefined
      ? undefined
      : apiPath(`applications/changes?${query}${query && '&'}since=${since}`, {}, 'api/tiphys/v1');
  return useStream<ListChange>(
    url,
    ({ rows, stale }) => {
      if (rows.length > 0) putRows(queries, query, rows);
      if (stale) again();
    },
    () => undefined,
  );
}

function putRows(queries: QueryClient, query: string, rows: readonly ApplicationRow[]): void {
  const fresh = new Map(rows.map((row) => [`${row.namespace}/${row.name}`, row]));
  queries.setQueriesData<ApplicationList>({ queryKey: keyOf(query) }, (before) => {
    if (!before?.items.some((row) => fresh.has(`${row.namespace}/${row.name}`))) return before;
    return { ...before, items: before.items.map((row) => fresh.get(`${row.namespace}/${row.name}`) ?? row) };
  });
}

/** A function that runs at once, and then at most once in so many milliseconds, the last call never lost. */
function useCalm(run: () => void, milliseconds: number): () => void {
  const state = useRef<{ last: number; timer?: ReturnType<typeof setTimeout> | undefined }>({ last: 0 });
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => () => clearTimeout(state.current.timer), []);
  return useCallback(() => {
    const { current } = state;
    if (current.timer) return;
    current.timer = setTimeout(
      () => {
        current.timer = undefined;
        current.last = Date.now();
        latest.current();
      },
      Math.max(0, current.last + milliseconds - Date.now()),
    );
  }, [milliseconds]);
}
