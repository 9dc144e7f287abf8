import { Button, Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type Counts, type Facet, facets } from '../../api/application-list.ts';
import { filterCount, type ListState, toggleValue } from '../../applications/list-state.ts';
import { t } from '../../i18n/texts.ts';

const titles: Readonly<Record<Facet, string>> = {
  health: 'Health',
  sync: 'Sync status',
  operation: 'Last sync',
  autoSync: 'Auto-sync',
  project: 'Project',
  cluster: 'Cluster',
  destination: 'Namespace',
  repository: 'Repository',
  targetRevision: 'Target revision',
  label: 'Labels',
};

/** Values that are shown before somebody asks for more. */
const few = 6;

interface FacetPanelProps {
  counts: Counts;
  state: ListState;
  change: (state: ListState) => void;
}

/** What the list can be filtered by, with how many there are. */
export function FacetPanel({ counts, state, change }: FacetPanelProps) {
  return (
    <aside className="facets" aria-label={t('Filters')}>
      <Checkbox
        size="xs"
        label={t('Favourites only')}
        checked={state.favourites}
        onChange={(event) => change({ ...state, favourites: event.currentTarget.checked })}
      />
      {facets.map((facet) => (
        <FacetValues key={facet} facet={facet} counts={counts} state={state} change={change} />
      ))}
      {(filterCount(state) > 0 || state.text) && (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => change({ ...state, chosen: {}, favourites: false, text: '' })}
        >
          {t('Clear all filters')}
        </Button>
      )}
    </aside>
  );
}

function FacetValues({ facet, counts, state, change }: FacetPanelProps & { facet: Facet }) {
  const [text, setText] = useState('');
  const [all, setAll] = useState(false);
  const chosen = state.chosen[facet] ?? [];
  const counted = counts[facet];
  // what is chosen stays in sight, though nothing has it
  const values = [
    ...chosen.filter((value) => !counted.some(([one]) => one === value)).map((value) => [value, 0] as const),
    ...counted,
  ];
  if (values.length === 0 || (values.length === 1 && chosen.length === 0 && facet !== 'health')) return null;
  const found = values.filter(([value]) => value.toLowerCase().includes(text.toLowerCase()));
  const shown = all || text ? found : found.slice(0, few);
  return (
    <fieldset>
      <legend>{t(titles[facet])}</legend>
      {values.length > few + 4 && (
        <TextInput
          size="xs"
          mb={6}
          placeholder={t('Search')}
          aria-label={t('Search in {facet}', { facet: t(titles[facet]) })}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      {shown.map(([value, count]) => (
        <Checkbox
          key={value}
          size="xs"
          checked={chosen.includes(value)}
          onChange={() => change(toggleValue(state, facet, value))}
          label={
            <>
              <span title={value}>{value ? t(shortened(value)) : t('none')}</span>{' '}
              <span className="count">{count}</span>
            </>
          }
        />
      ))}
      {found.length > shown.length && (
        <Button size="compact-xs" variant="subtle" onClick={() => setAll(true)}>
          {t('{count} more', { count: found.length - shown.length })}
        </Button>
      )}
    </fieldset>
  );
}

/** The end of an address tells more than its beginning. */
function shortened(value: string): string {
  return value.replace(/^[a-z]+:\/\/(?:[^@/]*@)?/, '').replace(/\.git$/, '');
}
