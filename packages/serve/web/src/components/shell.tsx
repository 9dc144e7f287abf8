import {
  ActionIcon,
  Anchor,
  AppShell,
  Group,
  Menu,
  Text,
  Tooltip,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { api } from '../api/client.ts';
import { navigate, useRoute } from '../router.ts';

const settings = [
  { path: 'applicationsets', page: 'applicationsets', title: 'Application sets' },
  { path: 'rollouts', page: 'rollouts', title: 'Rollouts' },
  { path: 'workflows', page: 'workflows', title: 'Workflows' },
  { path: 'settings/projects', page: 'projects', title: 'Projects' },
  { path: 'settings/clusters', page: 'clusters', title: 'Clusters' },
  { path: 'settings/repos', page: 'repositories', title: 'Repositories' },
  { path: 'settings/notifications', page: 'notifications', title: 'Notifications' },
];

function PageLink({ path, title, current }: { path: string; title: string; current: boolean }) {
  return (
    <Anchor
      href={path}
      size="sm"
      aria-current={current ? 'page' : undefined}
      fw={current ? 650 : 400}
      onClick={(event) => {
        event.preventDefault();
        navigate(`/${path}`);
      }}
    >
      {title}
    </Anchor>
  );
}

/** Header with the way home, the colour scheme and the user; the page below. */
export function Shell({ username, local, children }: { username: string; local: boolean; children: ReactNode }) {
  const route = useRoute();
  useEffect(() => {
    const name = 'name' in route ? route.name : settings.find(({ page }) => page === route.page)?.title;
    document.title = name ? `${name} · Tiphys` : 'Tiphys';
  }, [route]);
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const version = useQuery({ queryKey: ['version'], queryFn: api.version, staleTime: Number.POSITIVE_INFINITY });
  const queries = useQueryClient();
  const logout = async () => {
    if (!local) return window.location.assign(api.logoutAddress());
    await api.logout();
    queries.clear();
    navigate('/login');
  };
  return (
    <AppShell header={{ height: 56 }} padding={{ base: 'sm', sm: 'lg' }}>
      <AppShell.Header bg="var(--panel)">
        <Group h="100%" px="lg" justify="space-between">
          <Anchor
            href="applications"
            underline="never"
            c="inherit"
            onClick={(event) => {
              event.preventDefault();
              navigate('/applications');
            }}
          >
            <Group gap={10}>
              <img src="favicon.svg" alt="" width={28} height={28} />
              <Text fw={700} size="lg">
                Tiphys
              </Text>
            </Group>
          </Anchor>
          <Group gap="sm" wrap="nowrap">
            <Group gap="sm" visibleFrom="md" component="nav" aria-label="Settings">
              {settings.map(({ path, page, title }) => (
                <PageLink key={path} path={path} title={title} current={route.page === page} />
              ))}
              <Text size="xs" className="soft">
                API {version.data?.Version ?? ''}
              </Text>
            </Group>
            <Tooltip label={scheme === 'dark' ? 'Light' : 'Dark'}>
              <ActionIcon
                variant="subtle"
                aria-label="Switch colour scheme"
                onClick={() => setColorScheme(scheme === 'dark' ? 'light' : 'dark')}
              >
                {scheme === 'dark' ? '☀' : '☾'}
              </ActionIcon>
            </Tooltip>
            <Menu>
              <Menu.Target>
                <ActionIcon variant="light" radius="xl" aria-label={`User ${username}`}>
                  {username.slice(0, 1).toUpperCase() || '?'}
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Label>{username}</Menu.Label>
                {settings.map(({ path, title }) => (
                  <Menu.Item key={path} hiddenFrom="md" onClick={() => navigate(`/${path}`)}>
                    {title}
                  </Menu.Item>
                ))}
                <Menu.Item onClick={() => void logout()}>Log out</Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Main>{children}</AppShell.Main>
    </AppShell>
  );
}
