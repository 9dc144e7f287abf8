import { UnstyledButton } from '@mantine/core';
import { memo } from 'react';
import { toggleValue } from '../../applications/list-state.ts';
import { healthRank, lookOf } from '../../applications/status.ts';
import { t } from '../../i18n/texts.ts';
import type { FacetProps } from './facet-panel.tsx';

/** How many are in which state, as buttons that filter by it. */
export const HealthBar = memo(function HealthBar({ counts, chosen, edit }: FacetProps) {
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
              aria-pressed={chosen[facet]?.includes(status) ?? false}
              onClick={() => edit((state) => toggleValue(state, facet, status))}
            >
              <span aria-hidden>{symbol}</span>{' '}
              {facet === 'sync' && status === 'Unknown' ? t('Sync unknown') : t(status)} <strong>{count}</strong>
            </UnstyledButton>
          );
        }),
      )}
    </section>
  );
});
