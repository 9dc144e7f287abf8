import { Checkbox, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { type ApplicationRef, api } from '../../api/client.ts';
import { differingResources } from '../../differences.ts';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';
import { IgnoreButton } from './ignore-button.tsx';

const Difference = lazy(() => import('../editor/difference.tsx').then(({ Difference: view }) => ({ default: view })));

/** For each object that differs: what is live, and what a sync would make of it. `only` is the title of one object. */
export function DiffView({ reference, only }: { reference: ApplicationRef; only?: string }) {
  const managed = useQuery({
    queryKey: ['application', reference.namespace, reference.name, 'managed'],
    queryFn: () => api.managed(reference),
  });
  const [layout, setLayout] = useState(() => (window.innerWidth < 900 || only ? 'inline' : 'beside'));
  const [compact, setCompact] = useState(true);
  const [text, setText] = useState('');
  if (managed.error) return <Failure error={managed.error} retry={() => void managed.refetch()} />;
  const all = differingResources(managed.data ?? []).filter(({ title }) => only === undefined || title === only);
  if (all.length === 0)
    return (
      <Text className="soft">{managed.isLoading ? t('Loading …') : t('Live and desired state are the same.')}</Text>
    );
  const differing = all.filter(({ title, live, desired }) =>
    `${title}\n${live}\n${desired}`.toLowerCase().includes(text.toLowerCase()),
  );
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <SegmentedControl
          size="xs"
          aria-label={t('Layout')}
          value={layout}
          onChange={setLayout}
          data={[
            { label: t('Side by side'), value: 'beside' },
            { label: t('Inline'), value: 'inline' },
          ]}
        />
        <Checkbox
          size="xs"
          label={t('Changes only')}
          checked={compact}
          onChange={(event) => setCompact(event.currentTarget.checked)}
        />
        {only === undefined && (
          <TextInput
            size="xs"
            placeholder={t('Search')}
            aria-label={t('Search in the differences')}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        <Text size="sm" className="soft" ml="auto">
          {t('{count} objects differ', { count: differing.length })}
        </Text>
      </Group>
      {differing.map((item) => (
        <section key={item.title} className="panel" style={{ overflow: 'hidden' }} aria-label={item.title}>
          <Group justify="space-between" px="md" py={6} gap="xs" style={{ borderBottom: '1px solid var(--line)' }}>
            <Text fw={600} size="sm" style={{ overflowWrap: 'anywhere' }}>
              {item.title}
            </Text>
            <Group gap="sm">
              <Text size="xs" className="soft">
                {t(item.change)}
              </Text>
              <Text size="xs" className="mono">
                <span className="added">+{item.added}</span> <span className="removed">−{item.removed}</span>
              </Text>
              {item.change === 'will be changed' && <IgnoreButton reference={reference} item={item} />}
            </Group>
          </Group>
          <Suspense fallback={<Text p="md">{t('Loading …')}</Text>}>
            <Difference live={item.live} desired={item.desired} beside={layout === 'beside'} compact={compact} />
          </Suspense>
        </section>
      ))}
    </Stack>
  );
}
