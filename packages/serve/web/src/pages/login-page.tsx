import { Alert, Button, Center, Divider, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api/client.ts';
import type { Settings } from '../api/model.ts';
import { listQuery, readListState } from '../applications/list-state.ts';
import { listName, prefetchApplications } from '../applications/use-application-list.ts';
import { navigate, useRoute } from '../browser/router.ts';
import { t } from '../i18n/texts.ts';

/** What the button of single sign-on says; undefined if there is none. */
function providerName(settings: Settings | undefined): string | undefined {
  if (settings?.oidcConfig) return settings.oidcConfig.name || t('single sign-on');
  const connectors = settings?.dexConfig?.connectors ?? [];
  if (connectors.length === 1) return connectors[0]?.name || t('single sign-on');
  return settings?.dexConfig ? t('single sign-on') : undefined;
}

export function LoginPage() {
  const [username, setUsername] = useState('admin');
  const [password, setPassword] = useState('');
  const [failed, setFailed] = useState<string>();
  const [busy, setBusy] = useState(false);
  const queries = useQueryClient();
  const route = useRoute();
  const settings = useQuery({ queryKey: ['login settings'], queryFn: api.settings, staleTime: 60_000 });
  const provider = providerName(settings.data);
  const local = !settings.isLoading && !settings.data?.userLoginsDisabled;
  // the address is data of a stranger's link: only the fact is taken from it, never words (CVE-2022-24905)
  const ssoFailed = new URLSearchParams(window.location.search).get('has_sso_error') === 'true';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await api.login(username, password);
      // what the page shows first is on its way while the page is drawn
      if (route.page === 'login' || route.page === 'applications')
        void prefetchApplications(queries, listQuery(readListState(new URLSearchParams(window.location.search)), []));
      // what the server told a stranger is asked again by whoever shows it next; what this page alone shows need not be
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== listName, refetchType: 'none' });
      // who has logged in is known; the server is asked all the same
      queries.setQueryData(['user'], { loggedIn: true, username, iss: 'argocd' });
      void queries.invalidateQueries({ queryKey: ['user'] });
      if (window.location.pathname.endsWith('/login')) navigate('/applications');
    } catch (error) {
      setFailed(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Center mih="100vh" p="md">
      <form onSubmit={(event) => void submit(event)} className="panel" style={{ width: 380, padding: 32 }}>
        <Stack>
          <Group gap="sm">
            <img src="favicon.svg" alt="" width={40} height={40} />
            <div>
              <Title order={3}>Tiphys</Title>
              <Text size="sm" className="soft">
                {t('GitOps that explains itself')}
              </Text>
            </div>
          </Group>
          {ssoFailed && (
            <Alert color="red" variant="light">
              {t('Single sign-on failed. The log of the server says why.')}
            </Alert>
          )}
          {provider && (
            <Button component="a" href={api.ssoAddress()} variant="filled" className="long-label">
              {settings.data?.uiLoginButtonText || t('Log in via {provider}', { provider })}
            </Button>
          )}
          {provider && local && <Divider label={t('or with a local account')} />}
          {local && (
            <>
              <TextInput
                label={t('Username')}
                value={username}
                onChange={(event) => setUsername(event.currentTarget.value)}
                autoComplete="username"
              />
              <PasswordInput
                label={t('Password')}
                value={password}
                onChange={(event) => setPassword(event.currentTarget.value)}
                autoComplete="current-password"
                data-autofocus
                autoFocus
              />
            </>
          )}
          {failed && (
            <Alert color="red" variant="light">
              {failed}
            </Alert>
          )}
          {local && (
            <>
              <Button type="submit" loading={busy} disabled={password === ''} variant={provider ? 'default' : 'filled'}>
                {t('Log in')}
              </Button>
              <Text size="xs" className="soft">
                {t('The first password of admin is in the Secret argocd-initial-admin-secret; npm start prints it.')}
              </Text>
            </>
          )}
          {settings.data && !local && !provider && (
            <Alert color="yellow" variant="light">
              {t(
                'Nobody can log in: there is neither a local account that may, nor single sign-on. Set admin.enabled or oidc.config in the ConfigMap argocd-cm.',
              )}
            </Alert>
          )}
        </Stack>
      </form>
    </Center>
  );
}
