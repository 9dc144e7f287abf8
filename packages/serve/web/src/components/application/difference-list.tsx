import { Checkbox, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { t } from '../../i18n/texts.ts';
import type { ObjectDifference } from '../../objects/differences.ts';
import { Loading } from '../common/loading.tsx';

const Difference = lazy(() => import('../editor/difference.tsx').then(({ Difference: view }) => ({ default: view })));

const YamlView = lazy(() => import('../editor/yaml-view.tsx').then(({ YamlView: view }) => ({ default: view })));

interface DifferenceListProps<Item extends ObjectDifference> {
  items: readonly Item[];
  /** There is only one object that could differ. */
  single?: boolean;
  /** What can be done about the difference of an object. */
  acts?: (item: Item) => ReactNode;
}

/** Two states of each object, side by side or one below the other, searched by words. */
export function DifferenceList<Item extends ObjectDifference>({
  items,
  single = false,
  acts,
}: DifferenceListProps<Item>) {
  const [layout, setLayout] = useState(() => (window.innerWidth < 900 || single ? 'inline' : 'beside'));
  const [compact, setCompact] = useState(true);
  const [text, setText] = useState('');
  const differing = items.filter(({ title, live, desired }) =>
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
        {!single && (
          <TextInput
            size="xs"
            placeholder={t('Search')}
            aria-label={t('Search in the differences')}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        <Text size="sm" className="soft" ml="auto">
          {differing.length === 1 ? t('1 object differs') : t('{count} objects differ', { count: differing.length })}
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
              {acts?.(item)}
            </Group>
          </Group>
          <Suspense fallback={<Loading />}>
            {item.live === '' || item.desired === '' ? (
              // an object that is whole on one side has nothing to be compared with: it is read, not searched for changes
              <div className="whole-object" data-gone={item.desired === '' || undefined}>
                <YamlView text={item.desired || item.live} />
              </div>
            ) : (
              <Difference live={item.live} desired={item.desired} beside={layout === 'beside'} compact={compact} />
            )}
          </Suspense>
        </section>
      ))}
    </Stack>
  );
}
