import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import type { Application } from '../../api/model.ts';
import { useSearch } from '../../browser/router.ts';
import { t } from '../../i18n/texts.ts';
import { differingResources } from '../../objects/differences.ts';
import { Failure } from '../common/failure.tsx';
import { Loading } from '../common/loading.tsx';
import { DifferenceList } from './difference-list.tsx';
import { GeneratedFields } from './generated-fields.tsx';
import { IgnoreButton } from './ignore-button.tsx';
import { RevisionDiff } from './revision-diff.tsx';
import { WrittenByButton } from './written-by-button.tsx';

/** What of an application differs: live and desired state, or two revisions; the address says which. */
export function ApplicationDiff({ application }: { application: Application }) {
  const [search, changeSearch] = useSearch();
  const revisions = search.has('from') || search.has('to') || search.get('compare') === 'revisions';
  return (
    <Stack gap="sm">
      <SegmentedControl
        size="xs"
        aria-label={t('What is compared')}
        style={{ alignSelf: 'flex-start' }}
        value={revisions ? 'revisions' : 'live'}
        onChange={(value) =>
          changeSearch({ compare: value === 'live' ? undefined : value, from: undefined, to: undefined })
        }
        data={[
          { value: 'live', label: t('Live and desired') },
          { value: 'revisions', label: t('Two revisions') },
        ]}
      />
      {revisions ? <RevisionDiff application={application} /> : <DiffView application={application} />}
    </Stack>
  );
}

/** For each object that differs: what is live, and what a sync would make of it. `only` is the title of one object. */
export function DiffView({ application, only }: { application: Application; only?: string }) {
  const reference = application.metadata;
  const managed = useQuery({
    queryKey: ['application', reference.namespace, reference.name, 'managed'],
    queryFn: () => api.managed(reference),
  });
  if (managed.error) return <Failure error={managed.error} retry={() => void managed.refetch()} />;
  const items = differingResources(managed.data ?? []).filter(({ title }) => only === undefined || title === only);
  if (managed.isLoading) return <Loading />;
  return (
    <Stack gap="sm">
      {items.length === 0 ? (
        <Text className="soft">{t('Live and desired state are the same.')}</Text>
      ) : (
        <DifferenceList
          items={items}
          single={only !== undefined}
          acts={(item) =>
            item.change === 'will be changed' && (
              <>
                <WrittenByButton application={application} item={item} />
                <IgnoreButton reference={reference} item={item} />
              </>
            )
          }
        />
      )}
      <GeneratedFields application={application} only={only} />
    </Stack>
  );
}
