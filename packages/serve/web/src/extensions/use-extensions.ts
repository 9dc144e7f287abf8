import { useSyncExternalStore } from 'react';
import { type NavigationSection, navigation } from '../browser/navigation.ts';
import { type Extensions, extensionsNow, subscribeExtensions } from './registry.ts';

export function useExtensions(): Extensions {
  return useSyncExternalStore(subscribeExtensions, extensionsNow);
}

/** The navigation with the pages of extensions. */
export function useNavigation(): readonly NavigationSection[] {
  const { pages } = useExtensions();
  if (pages.length === 0) return navigation;
  const items = pages.map(({ path, title, icon }) => ({
    path,
    title,
    icon: 'extension' as const,
    ...(icon ? { extensionIcon: icon } : {}),
  }));
  return [...navigation, { title: 'Extensions', items }];
}
