import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  Kbd,
  Menu,
  Text,
  Tooltip,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useLocalStorage } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { api } from '../../api/client.ts';
import { home, itemOf } from '../../browser/navigation.ts';
import { navigate, usePath, useRoute } from '../../browser/router.ts';
import { safeLink } from '../../browser/safe-link.ts';
import { useNavigation } from '../../extensions/use-extensions.ts';
import { chooseLanguage, currentLanguage, type Language, languages, t } from '../../i18n/texts.ts';
import { Icon } from '../common/icon.tsx';
import { PageLink } from '../common/page-link.tsx';
import { Banner, useCustomStyles } from './banner.tsx';
import { Shortcuts } from './shortcuts.tsx';
import { Sidebar } from './sidebar.tsx';

/** The way to every page at the side, the user above, the page itself. */
export function Shell({
  username,
  local,
  children,
}: {
  /** Undefined for who has not logged in, and is let in all the same. */
  username: string | undefined;
  local: boolean;
  children: ReactNode;
}) {
  const route = useRoute();
  const path = usePath();
  const sections = useNavigation();
  useCustomStyles();
  const [opened, { toggle, close }] = useDisclosure();
  const [palette, setPalette] = useState(false);
  const [narrow, setNarrow] = useLocalStorage({ key: 'tiphys.sidebar-narrow', defaultValue: false });
  useEffect(() => {
    const name = 'name' in route ? route.name : itemOf(path, sections)?.title;
    document.title = name ? `${name} · Tiphys` : 'Tiphys';
  }, [route, path, sections]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the drawer of small screens
  useEffect(close, [path]);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: narrow ? 60 : 212, breakpoint: 'md', collapsed: { mobile: !opened } }}
      padding={{ base: 'sm', sm: 'md', lg: 'lg' }}
      transitionDuration={0}
    >
      <a href="#content" className="skip-link">
        {t('Skip to the content')}
      </a>
      <AppShell.Header bg="var(--panel)">
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="md" size="sm" aria-label={t('Navigation')} />
            <PageLink to={home} className="brand">
              <img src="favicon.svg" alt="" width={26} height={26} />
              <span>Tiphys</span>
            </PageLink>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <UnstyledButton
              className="palette-button"
              onClick={() => setPalette(true)}
              aria-label={`${t('Go to …')} Ctrl K`}
            >
              <Icon name="search" size={16} />
              <span>{t('Go to …')}</span>
              <Kbd size="xs">Ctrl K</Kbd>
            </UnstyledButton>
            <SchemeSwitch />
            {username === undefined && (
              <Button size="xs" visibleFrom="sm" onClick={() => navigate('/login')}>
                {t('Log in')}
              </Button>
            )}
            <UserMenu username={username} local={local} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar bg="var(--panel)">
        <Sidebar narrow={narrow && !opened} setNarrow={setNarrow} />
      </AppShell.Navbar>
      <Shortcuts opened={palette} setOpened={setPalette} />
      <AppShell.Main id="content" tabIndex={-1}>
        <Banner place="top" />
        {children}
        <Banner place="bottom" />
      </AppShell.Main>
    </AppShell>
  );
}

function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  return (
    <Tooltip label={dark ? t('Light') : t('Dark')}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('Switch colour scheme')}
        onClick={() => setColorScheme(dark ? 'light' : 'dark')}
      >
        <Icon name={dark ? 'sun' : 'moon'} />
      </ActionIcon>
    </Tooltip>
  );
}

/** `help.chatUrl` and `help.download.*` of the settings. */
function HelpLinks() {
  const settings = useQuery({ queryKey: ['settings'], queryFn: api.settings, staleTime: 60_000 });
  const { chatUrl = '', chatText, binaryUrls } = settings.data?.help ?? {};
  const links = [
    { words: chatText || t('Chat'), address: safeLink(chatUrl) },
    ...Object.entries(binaryUrls ?? {}).map(([system, url]) => ({
      words: t('Command line for {system}', { system }),
      address: safeLink(url),
    })),
  ];
  return links.map(({ words, address }) =>
    address ? (
      <Menu.Item key={words} component="a" href={address} target="_blank" rel="noreferrer noopener">
        {words}
      </Menu.Item>
    ) : null,
  );
}

function UserMenu({ username, local }: { username: string | undefined; local: boolean }) {
  const version = useQuery({ queryKey: ['version'], queryFn: api.version, staleTime: Number.POSITIVE_INFINITY });
  const queries = useQueryClient();
  const logout = async () => {
    if (!local) return window.location.assign(api.logoutAddress());
    await api.logout();
    queries.clear();
    navigate('/login');
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="light"
          radius="xl"
          size="lg"
          aria-label={t('User {name}', { name: username ?? t('Nobody') })}
        >
          {username?.slice(0, 1).toUpperCase() || '?'}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{username ?? t('Not logged in')}</Menu.Label>
        <Menu.Label>{t('Language')}</Menu.Label>
        {(Object.keys(languages) as Language[]).map((language) => (
          <Menu.Item
            key={language}
            lang={language}
            aria-current={language === currentLanguage() || undefined}
            fw={language === currentLanguage() ? 650 : 400}
            onClick={() => chooseLanguage(language)}
          >
            {languages[language]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        {home === 'applications' && (
          <>
            <Menu.Item onClick={() => navigate('/user-info')}>{t('You and this page')}</Menu.Item>
            <HelpLinks />
            {username === undefined && <Menu.Item onClick={() => navigate('/login')}>{t('Log in')}</Menu.Item>}
            {username !== undefined && <Menu.Item onClick={() => void logout()}>{t('Log out')}</Menu.Item>}
          </>
        )}
        <Menu.Divider />
        <Menu.Label>
          <Text span size="xs">
            API {version.data?.Version ?? ''}
          </Text>
        </Menu.Label>
      </Menu.Dropdown>
    </Menu>
  );
}
