import { Alert, Badge, Button, SegmentedControl, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { settingsApi } from '../../api/settings.ts';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';

const asked = [
  ['repository', 'Repository', 'https://example.com/shop.git'],
  ['cluster', 'Cluster', 'in-cluster'],
  ['namespace', 'Namespace', 'shop'],
  ['kind', 'Kind', 'apps/Deployment'],
  ['application', 'Application', 'shop'],
  ['role', 'Role of the project', 'ci'],
  ['action', 'Action of the role', 'sync'],
] as const;

/** Asks a project whether something is allowed, and names the rule that decides. */
export function AllowedBox({ project }: { project: string }) {
  const [values, setValues] = useState<Record<string, string>>({});
  const [scope, setScope] = useState('namespace');
  const asking = useMutation({
    mutationFn: () => {
      const { kind = '', cluster = '', ...rest } = values;
      const slash = kind.indexOf('/');
      const isUrl = cluster.includes('://');
      return settingsApi.rulings(project, {
        ...rest,
        ...(isUrl ? { server: cluster } : { cluster }),
        ...(cluster === 'in-cluster' ? { server: 'https://kubernetes.default.svc' } : {}),
        group: slash < 0 ? '' : kind.slice(0, slash),
        kind: slash < 0 ? kind : kind.slice(slash + 1),
        scope,
      });
    },
  });
  const ask = (event: FormEvent) => {
    event.preventDefault();
    asking.mutate();
  };
  return (
    <form onSubmit={ask}>
      <Stack gap="sm">
        <Text size="sm" className="soft">
          {t('Fill in what the question is about; the rest is left empty.')}
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} verticalSpacing="xs">
          {asked.map(([name, label, placeholder]) => (
            <TextInput
              key={name}
              label={t(label)}
              placeholder={placeholder}
              value={values[name] ?? ''}
              onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value.trim() })}
            />
          ))}
          <div>
            <Text size="sm" fw={500}>
              {t('Where the kind lives')}
            </Text>
            <SegmentedControl
              aria-label={t('Where the kind lives')}
              value={scope}
              onChange={setScope}
              data={[
                { value: 'namespace', label: t('Namespace') },
                { value: 'cluster', label: t('Cluster') },
              ]}
            />
          </div>
        </SimpleGrid>
        <Button type="submit" variant="default" loading={asking.isPending} style={{ alignSelf: 'flex-start' }}>
          {t('Is this allowed?')}
        </Button>
        {asking.error && <Failure error={asking.error} />}
        {asking.data?.length === 0 && <Alert variant="light">{t('Nothing was asked.')}</Alert>}
        {asking.data && asking.data.length > 0 && (
          <ul className="rulings" aria-live="polite">
            {asking.data.map(({ question, allowed, rule, remedy }) => (
              <li key={question}>
                <Badge color={allowed ? 'teal' : 'red'} variant="light">
                  {allowed ? t('allowed') : t('refused')}
                </Badge>
                <div>
                  <Text size="sm" fw={600}>
                    {question}
                  </Text>
                  <Text className="mono" style={{ overflowWrap: 'anywhere' }}>
                    {rule}
                  </Text>
                  {remedy && (
                    <Text size="sm" className="soft">
                      → {remedy}
                    </Text>
                  )}
                </div>
              </li>
            ))}
          </ul>
        )}
      </Stack>
    </form>
  );
}
