import { Button, TextInput } from '@mantine/core';
import { memo, useState } from 'react';
import { type Counts, type Facet, facets } from '../../api/application-list.ts';
import { type EditList, filterCount, type ListState, toggleValue } from '../../applications/list-state.ts';
import { t } from '../../i18n/texts.ts';
import { CheckBox } from '../common/check-box.tsx';
import { facetWords } from './facet-words.ts';

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

export interface FacetProps {
  counts: Counts;
  chosen: ListState['chosen'];
  edit: EditList;
}

interface FacetPanelProps extends FacetProps {
  favourites: boolean;
  /** Words are looked for, too. */
  searching: boolean;
}

/** What the list can be filtered by, with how many there are. Drawn anew when that changes, and not with every letter or row. */
export const FacetPanel = memo(function FacetPanel({ counts, chosen, favourites, searching, edit }: FacetPanelProps) {
  return (
    <aside className="facets" aria-label={t('Filters')}>
      <CheckBox checked={favourites} onChange={() => edit((state) => ({ ...state, favourites: !state.favourites }))}>
        {t('Favourites only')}
      </CheckBox>
      {facets.map((facet) => (
        <FacetValues key={facet} facet={facet} counts={counts} chosen={chosen} edit={edit} />
      ))}
      {(filterCount({ chosen, favourites }) > 0 || searching) && (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => edit((state) => ({ ...state, chosen: {}, favourites: false, text: '' }))}
        >
          {t('Clear all filters')}
        </Button>
      )}
    </aside>
  );
});

function FacetValues({ facet, counts, chosen: all, edit }: FacetProps & { facet: Facet }) {
  const [text, setText] = useState('');
  const [whole, setWhole] = useState(false);
  const chosen = all[facet] ?? [];
  const counted = counts[facet];
  // what is chosen stays in sight, though nothing has it
  const values = [
    ...chosen.filter((value) => !counted.some(([one]) => one === value)).map((value) => [value, 0] as const),
    ...counted,
  ];
  if (values.length === 0 || (values.length === 1 && chosen.length === 0 && facet !== 'health')) return null;
  const found = values.filter(([value]) => value.toLowerCase().includes(text.toLowerCase()));
  const shown = whole || text ? found : found.slice(0, few);
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
        <CheckBox
          key={value}
          checked={chosen.includes(value)}
          onChange={() => edit((state) => toggleValue(state, facet, value))}
        >
          <span className="value" title={value}>
            {facetWords(facet, shortened(value))}
          </span>{' '}
          <span className="count">{count}</span>
        </CheckBox>
      ))}
      {found.length > shown.length && (
        <Button size="compact-xs" variant="subtle" onClick={() => setWhole(true)}>
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
