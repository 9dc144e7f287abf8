import { Autocomplete, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api/client.ts';
import type { Application } from '../../api/model.ts';
import { revisionNamed } from '../../applications/pull-request.ts';
import { sourcesOf } from '../../applications/sync-request.ts';
import { useSearch } from '../../browser/router.ts';
import { t } from '../../i18n/texts.ts';
import { differencesOf, differingManifests } from '../../objects/differences.ts';
import { Failure } from '../common/failure.tsx';
import { DifferenceList } from './difference-list.tsx';

/** In the place of a revision: what is in the cluster. */
const live = 'live';

/** What two revisions deploy differently, rendered with today's settings: commits, branches, tags, versions, or the branch of a pull request; or what one deploys and what is live, as a sync would compare them. */
export function RevisionDiff({ application }: { application: Application }) {
  const [search, changeSearch] = useSearch();
  const { metadata, status } = application;
  const sources = sourcesOf(application);
  const count = sources.length;
  const history = [...(status?.history ?? [])].reverse().map(revisionsOfEntry);
  const asked = { from: search.get('from') ?? '', to: search.get('to') ?? '' };
  const [from, setFrom] = useState(asked.from || (history[1] ?? ''));
  const [to, setTo] = useState(asked.to || (history[0] ?? ''));
  const complete = asked.from !== '' && asked.to !== '';
  const difference = useQuery({
    queryKey: ['revisions', metadata.namespace, metadata.name, asked.from, asked.to],
    queryFn: async () => {
      const revisionsOf = (text: string) =>
        revisionsOfText(text, count).map((named, index) => revisionNamed(named, sources[index]?.repoURL ?? ''));
      const manifestsOf = async (text: string) => await api.manifests(metadata, revisionsOf(text));
      const beside = asked.to === live ? asked.from : asked.from === live ? asked.to : undefined;
      if (beside === live) return [];
      if (beside !== undefined)
        return differencesOf(
          await api.comparedAt(metadata, revisionsOf(beside)),
          asked.from === live ? 'live' : 'revision',
        );
      const [before, after] = await Promise.all([manifestsOf(asked.from), manifestsOf(asked.to)]);
      return differingManifests(before, after);
    },
    enabled: complete,
    retry: false,
  });
  const compare = (event: FormEvent) => {
    event.preventDefault();
    changeSearch({ from: from.trim(), to: to.trim(), compare: 'revisions' });
  };
  const choices = [...new Set(history)];
  return (
    <Stack gap="sm">
      <form onSubmit={compare}>
        <Group gap="sm" align="flex-end">
          <Autocomplete
            label={t('From revision')}
            data={[live, ...choices]}
            value={from}
            placeholder={t('Commit, branch, tag, version, #7')}
            onChange={setFrom}
            className="mono"
            style={{ flex: '1 1 220px', maxWidth: 420 }}
          />
          <Autocomplete
            label={t('To revision')}
            data={[live, ...choices]}
            value={to}
            placeholder={t('Commit, branch, tag, version, #7')}
            onChange={setTo}
            className="mono"
            style={{ flex: '1 1 220px', maxWidth: 420 }}
          />
          <Button type="submit" disabled={!from.trim() || !to.trim()} loading={difference.isFetching}>
            {t('Compare')}
          </Button>
        </Group>
      </form>
      {count > 1 && (
        <Text size="sm" className="soft">
          {t('The revisions of all {count} sources, separated by commas.', { count })}
        </Text>
      )}
      {difference.error && <Failure error={difference.error} retry={() => void difference.refetch()} />}
      {difference.data?.length === 0 && <Text className="soft">{t('Both deploy the same.')}</Text>}
      {difference.data && difference.data.length > 0 && <DifferenceList items={difference.data} />}
    </Stack>
  );
}

function revisionsOfEntry({ revision, revisions }: { revision?: string; revisions?: string[] | null }): string {
  return (revisions?.length ? revisions : [revision ?? '']).join(',');
}

/** One for each source; the first one holds for those that are not named. */
function revisionsOfText(text: string, count: number): string[] {
  const named = text.split(',').map((part) => part.trim());
  return Array.from({ length: Math.max(1, count) }, (_, index) => named[index] ?? named[0] ?? '');
}
