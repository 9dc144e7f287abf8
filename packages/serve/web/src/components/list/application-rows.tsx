import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect } from 'react';
import type { ApplicationRow } from '../../api/application-list.ts';
import { ago } from '../../browser/time.ts';
import { usePlace } from '../../browser/use-place.ts';
import { t } from '../../i18n/texts.ts';
import { CheckBox } from '../common/check-box.tsx';
import { PageLink } from '../common/page-link.tsx';
import { StatusBadge } from '../common/status-badge.tsx';
import { type ApplicationViewProps, accentOf, lastPart, operationWords } from './application-tiles.tsx';
import { FavouriteButton } from './favourite-button.tsx';
import { NoticeMark } from './notice-mark.tsx';
import { RowMenu } from './row-menu.tsx';

/** Pixels of a row; on small screens it becomes a card of two lines. */
const heights = { row: 44, card: 84 };
const narrowest = 810;
/** Heads with what the server sorts by, begun with the way round that is asked for most. */
const heads: readonly [title: string, sort?: string][] = [
  ['Name', 'name'],
  ['Project', 'project'],
  ['Health', 'health'],
  ['Sync status', 'sync'],
  ['Destination'],
  ['Source'],
  ['Revision'],
  ['Deployed', '-deployed'],
];

/** Applications in a dense table; rows out of sight are not drawn. */
export function ApplicationRows({
  shown,
  total,
  selected,
  select,
  favourites,
  sort,
  setSort,
}: ApplicationViewProps & { sort: string; setSort: (sort: string) => void }) {
  const { ref, width, top } = usePlace<HTMLTableSectionElement>();
  const cards = width > 0 && width < narrowest;
  const height = cards ? heights.card : heights.row;
  const virtual = useWindowVirtualizer({
    count: total,
    estimateSize: () => height,
    overscan: 6,
    scrollMargin: top,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another height is measured anew
  useEffect(() => virtual.measure(), [height]);
  const lines = virtual.getVirtualItems();
  const first = lines[0]?.index ?? 0;
  const last = lines.at(-1)?.index ?? 0;
  const { show } = shown;
  useEffect(() => show(first, last), [show, first, last]);
  return (
    <table
      className="panel rows"
      aria-label={t('Applications')}
      aria-rowcount={total + 1}
      data-cards={cards || undefined}
    >
      {!cards && (
        <thead>
          <tr className="row head">
            <th aria-label={t('Selected')} />
            {heads.map(([title, by]) => (
              <Head key={title} title={title} by={by} sort={sort} setSort={setSort} />
            ))}
            <th aria-label={t('Actions')} />
          </tr>
        </thead>
      )}
      <tbody ref={ref} style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {lines.map((line) => {
          const row = shown.rowAt(line.index);
          const key = row ? `${row.namespace}/${row.name}` : '';
          return (
            <tr
              key={line.index}
              aria-rowindex={line.index + 2}
              className="row"
              data-selected={selected.has(key) || undefined}
              style={{
                height,
                transform: `translateY(${line.start - virtual.options.scrollMargin}px)`,
                ...(row ? { ['--accent' as string]: `var(--mantine-color-${accentOf(row)}-6)` } : {}),
              }}
            >
              {row && (
                <Cells
                  row={row}
                  chosen={selected.has(key)}
                  select={select}
                  favourite={favourites.has(key)}
                  toggleFavourite={favourites.toggle}
                />
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const turned = (sort: string) => (sort.startsWith('-') ? sort.slice(1) : `-${sort}`);

function Head({
  title,
  by,
  sort,
  setSort,
}: {
  title: string;
  by: string | undefined;
  sort: string;
  setSort: (sort: string) => void;
}) {
  if (by === undefined) return <th>{t(title)}</th>;
  const on = sort === by || sort === turned(by);
  const down = sort.startsWith('-');
  return (
    <th aria-sort={on ? (down ? 'descending' : 'ascending') : undefined}>
      <button type="button" className="sort-head" onClick={() => setSort(sort === by ? turned(by) : by)}>
        {t(title)}
        {on && <span aria-hidden> {down ? '↓' : '↑'}</span>}
      </button>
    </th>
  );
}

interface CellsProps {
  row: ApplicationRow;
  chosen: boolean;
  select: (key: string) => void;
  favourite: boolean;
  toggleFavourite: (key: string) => void;
}

const Cells = memo(
  function Cells({ row, chosen, select, favourite, toggleFavourite }: CellsProps) {
    const key = `${row.namespace}/${row.name}`;
    return (
      <>
        <td className="picks">
          <CheckBox checked={chosen} onChange={() => select(key)} aria-label={t('Select {name}', { name: row.name })} />
          <FavouriteButton name={row.name} on={favourite} toggle={() => toggleFavourite(key)} />
        </td>
        <td className="app-name">
          <span className="name-line">
            <PageLink
              to={`applications/${encodeURIComponent(row.namespace)}/${encodeURIComponent(row.name)}`}
              title={row.name}
            >
              {row.name}
            </PageLink>
            <NoticeMark values={row.notice} />
          </span>
          {row.problem && (
            <span
              className="problem"
              data-notice={(row.problem.notice && row.health !== 'Degraded') || undefined}
              title={row.problem.message}
            >
              {row.problem.message}
            </span>
          )}
        </td>
        <td className="soft">{row.project}</td>
        <td>
          <StatusBadge status={row.health} size="sm" />
        </td>
        <td>
          {row.deleting ? (
            <StatusBadge status="Terminating" words={t('Deleting')} size="sm" />
          ) : ['Running', 'Terminating'].includes(row.operation) ? (
            <StatusBadge status={row.operation} words={operationWords(row.operation)} size="sm" />
          ) : (
            <StatusBadge status={row.sync} size="sm" />
          )}
        </td>
        <td title={`${row.cluster} / ${row.destination}`}>
          {row.cluster === 'in-cluster' ? row.destination : `${row.cluster} / ${row.destination}`}
        </td>
        <td className="soft" title={`${row.repository} ${row.path}`}>
          {lastPart(row.repository)} {row.path}
        </td>
        <td className="mono">{row.revision.slice(0, 7)}</td>
        <td className="soft">{row.deployed ? ago(row.deployed, Date.now()) : t('never')}</td>
        <td className="row-menu">
          <RowMenu row={row} />
        </td>
      </>
    );
  },
  (a, b) => a.row === b.row && a.chosen === b.chosen && a.favourite === b.favourite && a.select === b.select,
);
