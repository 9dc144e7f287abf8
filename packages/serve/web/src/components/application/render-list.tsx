import { Badge, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ApplicationRef, api } from '../../api/client.ts';
import type { RenderAccount } from '../../api/model.ts';
import { ago } from '../../browser/time.ts';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';
import { Loading } from '../common/loading.tsx';

/** How the manifests were made lately: found again and where, or what made a render necessary. */
export function RenderList({ reference, several }: { reference: ApplicationRef; several: boolean }) {
  const renders = useQuery({
    queryKey: ['application', reference.namespace, reference.name, 'renders'],
    queryFn: () => api.renders(reference),
    refetchInterval: 5_000,
  });
  if (renders.error) return <Failure error={renders.error} retry={() => void renders.refetch()} />;
  if (renders.isLoading) return <Loading />;
  if (!renders.data?.length) return <Text className="soft">{t('Nothing was rendered by this process yet.')}</Text>;
  return (
    <Stack gap="sm">
      <Text size="sm" className="soft">
        {t(
          'What a render has read decides whether it is good still: a new commit that touches nothing of it is found again.',
        )}
      </Text>
      {renders.data.map((account) => (
        <Account key={`${account.source} ${account.since} ${account.inputs}`} account={account} several={several} />
      ))}
    </Stack>
  );
}

function Account({ account, several }: { account: RenderAccount; several: boolean }) {
  const { source, revision, sourceType, found, inputs, output, paths, changed, why, until, times } = account;
  return (
    <section className="panel" style={{ padding: '12px 18px' }}>
      <Group gap="sm" mb={6}>
        <Badge variant="light" tt="none" color={found === 'rendered' ? 'yellow' : 'teal'}>
          {found === 'rendered' ? t('rendered') : t('found: {where}', { where: found })}
        </Badge>
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {why}
        </Text>
        <Text size="sm" className="soft">
          {ago(until, Date.now())}
          {times > 1 && ` · ${t('{count} times', { count: times })}`}
        </Text>
      </Group>
      <dl className="facts">
        {several && <Fact name={t('Source')} value={String(source + 1)} />}
        <Fact name={t('Revision')} value={revision} />
        {sourceType && <Fact name={t('Type')} value={sourceType} />}
        <Fact
          name={t('Inputs')}
          value={`sha256:${inputs} (${paths === 1 ? t('1 path') : t('{count} paths', { count: paths })})`}
        />
        <Fact name={t('Objects')} value={output} />
      </dl>
      {changed.length > 0 && (
        <Text size="sm" mt={6} component="div" style={{ overflowWrap: 'anywhere' }}>
          {t('Changed:')}{' '}
          {changed.map((name) => (
            <Code key={name} mr={6}>
              {name}
            </Code>
          ))}
        </Text>
      )}
    </section>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="mono" title={value}>
        {value}
      </dd>
    </>
  );
}
