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
import type { ReactNode } from 'react';
import { api } from '../api/client.ts';
import { navigate } from '../router.ts';

const settings = [
  { path: 'settings/projects', title: 'Projects' },
  { path: 'settings/clusters', title: 'Clusters' },
  { path: 'settings/repos', title: 'Repositories' },
];

/** Header with the way home, the colour scheme and the user; the page below. */
export function Shell({ username, local, children }: { username: string; local: boolean; children: ReactNode }) {
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
    <AppShell header={{ height: 56 }} padding="lg">
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
          <Group gap="sm">
            {settings.map(({ path, title }) => (
              <Anchor
                key={path}
                href={path}
                size="sm"
                onClick={(event) => {
                  event.preventDefault();
                  navigate(`/${path}`);
                }}
              >
                {title}
              </Anchor>
            ))}
            <Text size="xs" className="soft">
              API {version.data?.Version ?? ''}
            </Text>
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
