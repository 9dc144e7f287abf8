import {
  Alert,
  Badge,
  Button,
  Group,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
  useMantineColorScheme,
} from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api/client.ts';
import { settingsApi } from '../../api/settings.ts';
import { chooseZone, chosenZone, zones } from '../../browser/zone.ts';
import { Failure } from '../../components/common/failure.tsx';
import { PageLink } from '../../components/common/page-link.tsx';
import { SettingsHead } from '../../components/settings/settings-head.tsx';
import { chooseLanguage, currentLanguage, type Language, languages, t } from '../../i18n/texts.ts';
import { PasswordDrawer } from './accounts-page.tsx';

const resources = [
  'applications',
  'applicationsets',
  'projects',
  'repositories',
  'write-repositories',
  'clusters',
  'accounts',
  'certificates',
  'gpgkeys',
  'logs',
  'exec',
  'extensions',
];
const actions = ['get', 'create', 'update', 'delete', 'sync', 'override', 'action', 'invoke'];

/** Who is logged in, what that person may do, and how the page looks to them. */
export function UserPage() {
  return (
    <Stack maw={1400} mx="auto" gap="lg">
      <SettingsHead title="You and this page" />
      <Who />
      <CanI />
      <Appearance />
      <section className="panel" style={{ padding: 16 }}>
        <Title order={3}>{t('API')}</Title>
        <Text size="sm" mt={4}>
          {t("Everything on these pages is asked of the API, which is Argo CD's with more below /api/tiphys/v1.")}
        </Text>
        <PageLink to="swagger-ui" className="quiet-link">
          {t('All methods')}
        </PageLink>
      </section>
    </Stack>
  );
}

function Who() {
  const user = useQuery({ queryKey: ['user-info'], queryFn: settingsApi.userInfo });
  const settings = useQuery({ queryKey: ['settings'], queryFn: api.settings, staleTime: 60_000 });
  if (user.error) return <Failure error={user.error} retry={() => void user.refetch()} />;
  const { username, iss, groups } = user.data ?? {};
  const local = iss === 'argocd' && username;
  return (
    <section className="panel" style={{ padding: 16 }} aria-label={t('Who you are')}>
      <Title order={3}>{username || t('Nobody')}</Title>
      <Text size="sm" className="soft">
        {iss === 'argocd' ? t('A local account') : t('By {issuer}', { issuer: iss ?? '–' })}
      </Text>
      <Group gap={6} mt="xs">
        {(groups ?? []).map((group) => (
          <Badge key={group} variant="light" color="gray" tt="none">
            {group}
          </Badge>
        ))}
        {!groups?.length && (
          <Text size="sm" className="soft">
            {t('in no group')}
          </Text>
        )}
        {/* by the list of accounts only who may see it gets there */}
        {local && <PasswordDrawer name={username} pattern={settings.data?.passwordPattern} />}
      </Group>
    </section>
  );
}

function CanI() {
  const [action, setAction] = useState('sync');
  const [resource, setResource] = useState('applications');
  const [object, setObject] = useState('*/*');
  const asking = useMutation({ mutationFn: () => settingsApi.canI(resource, action, object || '*') });
  const ask = (event: FormEvent) => {
    event.preventDefault();
    asking.mutate();
  };
  return (
    <section className="panel" style={{ padding: 16 }} aria-label={t('Can I?')}>
      <Title order={3}>{t('Can I?')}</Title>
      <form onSubmit={ask}>
        <SimpleGrid cols={{ base: 1, sm: 4 }} mt="xs" style={{ alignItems: 'end' }}>
          <Select
            label={t('Action')}
            data={actions}
            value={action}
            allowDeselect={false}
            onChange={(value) => setAction(value ?? action)}
          />
          <Select
            label={t('Resource')}
            data={resources}
            value={resource}
            allowDeselect={false}
            searchable
            onChange={(value) => setResource(value ?? resource)}
          />
          <TextInput
            label={t('Object')}
            placeholder="default/shop"
            value={object}
            onChange={(event) => setObject(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={asking.isPending}>
            {t('Ask')}
          </Button>
        </SimpleGrid>
      </form>
      {asking.data !== undefined && (
        <Alert mt="sm" role="status" variant="light" color={asking.data ? 'teal' : 'red'}>
          {asking.data ? t('Yes, you may.') : t('No, you may not.')}
        </Alert>
      )}
      {asking.error && <Failure error={asking.error} />}
    </section>
  );
}

function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <section className="panel" style={{ padding: 16 }} aria-label={t('Appearance')}>
      <Title order={3}>{t('Appearance')}</Title>
      <Group mt="xs" gap="xl">
        <div>
          <Text size="sm" fw={500} mb={4}>
            {t('Colours')}
          </Text>
          <SegmentedControl
            aria-label={t('Colours')}
            value={colorScheme}
            onChange={(value) => setColorScheme(value as typeof colorScheme)}
            data={[
              { value: 'auto', label: t('As the system') },
              { value: 'light', label: t('Light') },
              { value: 'dark', label: t('Dark') },
            ]}
          />
        </div>
        <div>
          <Text size="sm" fw={500} mb={4}>
            {t('Language')}
          </Text>
          <SegmentedControl
            aria-label={t('Language')}
            value={currentLanguage()}
            onChange={(value) => chooseLanguage(value as Language)}
            data={(Object.keys(languages) as Language[]).map((language) => ({
              value: language,
              label: languages[language],
            }))}
          />
        </div>
        <Select
          label={t('Time zone')}
          w={240}
          searchable
          data={[
            { value: '', label: t("The browser's own") },
            ...zones().map((zone) => ({ value: zone, label: zone })),
          ]}
          value={chosenZone()}
          allowDeselect={false}
          onChange={(zone) => chooseZone(zone ?? '')}
        />
      </Group>
    </section>
  );
}
