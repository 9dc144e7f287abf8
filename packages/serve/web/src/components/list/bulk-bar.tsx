import { Button, Group, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { readAllApplications } from '../../api/application-list.ts';
import type { BulkVerb } from '../../applications/bulk.ts';
import { t } from '../../i18n/texts.ts';

const BulkDialog = lazy(() => import('./bulk-dialog.tsx').then(({ BulkDialog: dialog }) => ({ default: dialog })));

const verbs: readonly { verb: BulkVerb; word: string; red?: boolean }[] = [
  { verb: 'sync', word: 'Sync' },
  { verb: 'refresh', word: 'Refresh' },
  { verb: 'auto-on', word: 'Auto-sync on' },
  { verb: 'auto-off', word: 'Auto-sync off' },
  { verb: 'delete', word: 'Delete', red: true },
];

interface BulkBarProps {
  query: string;
  total: number;
  selected: ReadonlySet<string>;
  setSelected: (selected: ReadonlySet<string>) => void;
}

/** What can be done to those that are selected; at the lower edge, while there are some. */
export function BulkBar({ query, total, selected, setSelected }: BulkBarProps) {
  const [verb, setVerb] = useState<BulkVerb>();
  const [reading, setReading] = useState(false);
  const selectAll = async () => {
    setReading(true);
    try {
      const rows = await readAllApplications(query);
      setSelected(new Set(rows.map(({ namespace, name }) => `${namespace}/${name}`)));
    } finally {
      setReading(false);
    }
  };
  if (selected.size === 0) return null;
  return (
    <div className="bulk-bar panel" role="toolbar" aria-label={t('What to do with those selected')}>
      <Group gap="xs">
        <Text size="sm" fw={650} aria-live="polite">
          {t('{count} selected', { count: selected.size })}
        </Text>
        <Button size="compact-sm" variant="subtle" onClick={() => setSelected(new Set())}>
          {t('Select none')}
        </Button>
        {selected.size < total && (
          <Button size="compact-sm" variant="subtle" loading={reading} onClick={() => void selectAll()}>
            {t('Select all {count}', { count: total })}
          </Button>
        )}
      </Group>
      <Group gap="xs">
        {verbs.map(({ verb: one, word, red }) => (
          <Button
            key={one}
            size="xs"
            variant={one === 'sync' ? 'filled' : 'default'}
            {...(red ? { c: 'var(--mantine-color-error)' } : {})}
            onClick={() => setVerb(one)}
          >
            {t(word)}
          </Button>
        ))}
      </Group>
      {verb && (
        <Suspense fallback={null}>
          <BulkDialog
            verb={verb}
            targets={[...selected].map((key) => {
              const [namespace = '', name = ''] = key.split('/');
              return { namespace, name };
            })}
            close={(done) => {
              setVerb(undefined);
              if (done) setSelected(new Set());
            }}
          />
        </Suspense>
      )}
    </div>
  );
}
