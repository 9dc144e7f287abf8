import { Text, UnstyledButton } from '@mantine/core';
import type { Facet } from '../../api/application-list.ts';
import { toggleValue } from '../../applications/list-state.ts';
import { lookOf } from '../../applications/status.ts';
import { t } from '../../i18n/texts.ts';
import type { FacetProps } from './facet-panel.tsx';
import { facetWords } from './facet-words.ts';

const charts: readonly [Facet, string][] = [
  ['health', 'Health'],
  ['sync', 'Sync status'],
  ['operation', 'Last sync'],
  ['project', 'Project'],
  ['cluster', 'Cluster'],
  ['destination', 'Namespace'],
  ['repository', 'Repository'],
  ['targetRevision', 'Target revision'],
  ['autoSync', 'Auto-sync'],
];
/** Bars of one chart. */
const most = 8;

/** How many applications there are of each; a bar filters by what it counts. */
export function ApplicationSummary({ counts, chosen, edit }: FacetProps) {
  return (
    <div className="charts">
      {charts.map(([facet, title]) => {
        const values = counts[facet];
        const largest = Math.max(1, ...values.map(([, count]) => count));
        const rest = values.slice(most);
        return (
          <section key={facet} className="panel chart" aria-label={t(title)}>
            <Text fw={650} size="sm" mb={6}>
              {t(title)}
            </Text>
            {values.slice(0, most).map(([value, count]) => (
              <UnstyledButton
                key={value}
                className="bar"
                aria-pressed={chosen[facet]?.includes(value) ?? false}
                onClick={() => edit((state) => toggleValue(state, facet, value))}
              >
                <span className="bar-name" title={value}>
                  {facetWords(facet, value)}
                </span>
                <span className="bar-count">{count}</span>
                <span
                  className="bar-line"
                  style={{
                    width: `${(100 * count) / largest}%`,
                    background: ['health', 'sync', 'operation'].includes(facet)
                      ? `var(--mantine-color-${lookOf(value).colour}-6)`
                      : 'var(--mantine-primary-color-filled)',
                  }}
                />
              </UnstyledButton>
            ))}
            {rest.length > 0 && (
              <Text size="xs" className="soft" mt={4}>
                {t('and {count} more', { count: rest.length })}
              </Text>
            )}
          </section>
        );
      })}
    </div>
  );
}
