import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { settingsApi } from '../../api/settings.ts';
import { t } from '../../i18n/texts.ts';
import { PageLink } from '../common/page-link.tsx';

/** How many applications have a value of a facet, as a link to them. */
export function UsedBy({ facet, value }: { facet: 'repository' | 'cluster' | 'project'; value: string }) {
  const found = useQuery({
    queryKey: ['used-by', facet, value],
    queryFn: () => settingsApi.applications({ [facet]: value }),
    staleTime: 30_000,
  });
  if (!found.data) return null;
  const count = found.data.length;
  if (count === 0)
    return (
      <Text span size="sm" className="soft">
        {t('No application uses it')}
      </Text>
    );
  return (
    <PageLink to={`applications?${new URLSearchParams({ [facet]: value })}`} className="quiet-link">
      {count === 1 ? t('1 application') : t('{count} applications', { count })}
    </PageLink>
  );
}
