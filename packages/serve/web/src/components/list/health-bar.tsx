import { UnstyledButton } from '@mantine/core';
import type { Counts } from '../../api/application-list.ts';
import { type ListState, toggleValue } from '../../applications/list-state.ts';
import { healthRank, lookOf } from '../../applications/status.ts';
import { t } from '../../i18n/texts.ts';

interface HealthBarProps {
  counts: Counts;
  state: ListState;
  change: (state: ListState) => void;
}

/** How many are in which state, as buttons that filter by it. */
export function HealthBar({ counts, state, change }: HealthBarProps) {
  const health = counts.health.toSorted((a, b) => healthRank(a[0]) - healthRank(b[0]));
  return (
    <section className="chips" aria-label={t('States')}>
      {(['health', 'sync'] as const).map((facet) =>
        (facet === 'health' ? health : counts.sync).map(([status, count]) => {
          const { colour, symbol } = lookOf(status);
          return (
            <UnstyledButton
              key={facet + status}
              className="chip"
              data-colour={colour}
              style={{
                ['--chip' as string]: `var(--mantine-color-${colour}-light)`,
                ['--chip-text' as string]: `var(--mantine-color-${colour}-light-color)`,
              }}
              aria-pressed={state.chosen[facet]?.includes(status) ?? false}
              onClick={() => change(toggleValue(state, facet, status))}
            >
              <span aria-hidden>{symbol}</span>{' '}
              {facet === 'sync' && status === 'Unknown' ? t('Sync unknown') : t(status)} <strong>{count}</strong>
            </UnstyledButton>
          );
        }),
      )}
    </section>
  );
}
