import { Skeleton } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect } from 'react';
import type { ApplicationRow } from '../../api/application-list.ts';
import { lookOf } from '../../applications/status.ts';
import type { ShownList } from '../../applications/use-application-list.ts';
import { ago } from '../../browser/time.ts';
import { usePlace } from '../../browser/use-place.ts';
import { t } from '../../i18n/texts.ts';
import { CheckBox } from '../common/check-box.tsx';
import { PageLink } from '../common/page-link.tsx';
import { StatusBadge } from '../common/status-badge.tsx';
import { FavouriteButton } from './favourite-button.tsx';
import { NoticeMark } from './notice-mark.tsx';
import { RowMenu } from './row-menu.tsx';

export interface ApplicationViewProps {
  shown: ShownList;
  total: number;
  selected: ReadonlySet<string>;
  select: (key: string) => void;
  favourites: { has: (key: string) => boolean; toggle: (key: string) => void };
}

/** Pixels of a tile, and the least width of one. */
const tileHeight = 164;
const tileWidth = 290;
const gap = 12;

/** Applications as tiles; those out of sight are not drawn. */
export function ApplicationTiles({ shown, total, selected, select, favourites }: ApplicationViewProps) {
  const { ref, width, top } = usePlace<HTMLDivElement>();
  const columns = Math.max(1, Math.floor((width + gap) / (tileWidth + gap)));
  const virtual = useWindowVirtualizer({
    count: Math.ceil(total / columns),
    estimateSize: () => tileHeight + gap,
    overscan: 2,
    scrollMargin: top,
  });
  const lines = virtual.getVirtualItems();
  const first = (lines[0]?.index ?? 0) * columns;
  const last = Math.min(total - 1, ((lines.at(-1)?.index ?? 0) + 1) * columns - 1);
  const { show } = shown;
  useEffect(() => show(first, Math.max(first, last)), [show, first, last]);
  return (
    <div ref={ref} style={{ height: virtual.getTotalSize(), position: 'relative' }}>
      {width > 0 &&
        lines.map((line) => (
          <div
            key={line.index}
            className="tile-line"
            style={{
              transform: `translateY(${line.start - virtual.options.scrollMargin}px)`,
              gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
              height: tileHeight,
            }}
          >
            {Array.from({ length: Math.min(columns, total - line.index * columns) }, (_, column) => {
              const row = shown.rowAt(line.index * columns + column);
              // biome-ignore lint/suspicious/noArrayIndexKey: a place that is not read yet has no other name
              if (!row) return <Skeleton key={column} height={tileHeight} radius="md" />;
              const key = `${row.namespace}/${row.name}`;
              return (
                <Tile
                  key={key}
                  row={row}
                  chosen={selected.has(key)}
                  select={select}
                  favourite={favourites.has(key)}
                  toggleFavourite={favourites.toggle}
                />
              );
            })}
          </div>
        ))}
    </div>
  );
}

interface TileProps {
  row: ApplicationRow;
  chosen: boolean;
  select: (key: string) => void;
  favourite: boolean;
  toggleFavourite: (key: string) => void;
}

/** The colour of what is wrong; a cause that is known weighs more than the health of what still runs. */
export function accentOf({ problem, health, sync }: ApplicationRow): string {
  if (problem && !problem.notice) return 'red';
  return health === 'Healthy' && sync !== 'Synced' ? lookOf(sync).colour : lookOf(health).colour;
}

const Tile = memo(
  function Tile({ row, chosen, select, favourite, toggleFavourite }: TileProps) {
    const key = `${row.namespace}/${row.name}`;
    return (
      <article
        className="tile"
        data-selected={chosen || undefined}
        style={{ ['--accent' as string]: `var(--mantine-color-${accentOf(row)}-6)` }}
      >
        <div className="tile-head">
          <CheckBox
            className="above"
            checked={chosen}
            onChange={() => select(key)}
            aria-label={t('Select {name}', { name: row.name })}
          />
          <PageLink
            to={`applications/${encodeURIComponent(row.namespace)}/${encodeURIComponent(row.name)}`}
            className="tile-link"
            title={row.name}
          >
            {row.name}
          </PageLink>
          <NoticeMark values={row.notice} />
          <span className="soft">{row.project}</span>
          <FavouriteButton name={row.name} on={favourite} toggle={() => toggleFavourite(key)} />
          <RowMenu row={row} />
        </div>
        <Statuses row={row} />
        {row.problem && (
          <p
            className="tile-problem"
            data-notice={(row.problem.notice && row.health !== 'Degraded') || undefined}
            title={row.problem.message}
          >
            {row.problem.message}
          </p>
        )}
        <dl className="facts" style={{ marginTop: 'auto' }}>
          <dt>{t('Source')}</dt>
          <dd title={`${row.repository} ${row.path} @ ${row.targetRevision}`}>
            {lastPart(row.repository)}
            {row.path && row.path !== '.' ? `/${row.path}` : ''} <span className="soft">@ {row.targetRevision}</span>
          </dd>
          <dt>{t('Destination')}</dt>
          <dd title={`${row.cluster} / ${row.destination}`}>
            {row.cluster} / {row.destination}
          </dd>
          {!row.problem && (
            <>
              <dt>{t('Deployed')}</dt>
              <dd>
                {row.deployed ? ago(row.deployed, Date.now()) : t('never')}{' '}
                {row.deployed && <span className="mono soft">{row.revision.slice(0, 7)}</span>}
              </dd>
            </>
          )}
        </dl>
      </article>
    );
  },
  (a, b) => a.row === b.row && a.chosen === b.chosen && a.favourite === b.favourite && a.select === b.select,
);

export function Statuses({ row }: { row: ApplicationRow }) {
  return (
    <div className="tile-statuses">
      <StatusBadge status={row.health} size="sm" />
      <StatusBadge status={row.sync} size="sm" />
      {['Running', 'Terminating', 'Failed', 'Error'].includes(row.operation) && (
        <StatusBadge status={row.operation} words={operationWords(row.operation)} size="sm" />
      )}
      {row.deleting && <StatusBadge status="Terminating" words={t('Deleting')} size="sm" />}
    </div>
  );
}

/** The last part of an address, without `.git`. */
export function lastPart(address: string): string {
  return (
    address
      .replace(/(?<!\/)\/+$/, '')
      .replace(/\.git$/, '')
      .split('/')
      .at(-1) ?? address
  );
}

export function operationWords(phase: string): string {
  if (phase === 'Running') return t('Syncing');
  if (phase === 'Terminating') return t('Terminating');
  return phase === 'Failed' ? t('Sync failed') : t('Sync ended with an error');
}
