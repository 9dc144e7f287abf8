import { ScrollArea, Tooltip, UnstyledButton } from '@mantine/core';
import { itemOf, type NavigationItem } from '../../browser/navigation.ts';
import { usePath } from '../../browser/router.ts';
import { useNavigation } from '../../extensions/use-extensions.ts';
import { t } from '../../i18n/texts.ts';
import { Icon } from '../common/icon.tsx';
import { PageLink } from '../common/page-link.tsx';
import { ExtensionIcon } from '../extensions/extension-icon.tsx';

/** All pages by section; narrow it shows their icons alone. */
export function Sidebar({ narrow, setNarrow }: { narrow: boolean; setNarrow: (narrow: boolean) => void }) {
  const navigation = useNavigation();
  const current = itemOf(usePath(), navigation);
  return (
    <nav aria-label={t('Pages')} className="sidebar" data-narrow={narrow || undefined}>
      <ScrollArea style={{ flex: 1 }} type="never">
        {navigation.map(({ title, items }) => (
          <section key={title} aria-label={t(title)}>
            {!narrow && <h2>{t(title)}</h2>}
            {items.map((item) => (
              <Entry key={item.path} item={item} current={item === current} narrow={narrow} />
            ))}
          </section>
        ))}
      </ScrollArea>
      <UnstyledButton
        className="sidebar-entry"
        visibleFrom="md"
        onClick={() => setNarrow(!narrow)}
        aria-label={narrow ? t('Widen the sidebar') : undefined}
      >
        <Icon name={narrow ? 'expand' : 'collapse'} />
        {!narrow && <span>{t('Narrow the sidebar')}</span>}
      </UnstyledButton>
    </nav>
  );
}

function Entry({ item, current, narrow }: { item: NavigationItem; current: boolean; narrow: boolean }) {
  const link = (
    <PageLink
      to={item.path}
      className="sidebar-entry"
      aria-current={current ? 'page' : undefined}
      aria-label={narrow ? t(item.title) : undefined}
    >
      {item.extensionIcon ? <ExtensionIcon name={item.extensionIcon} /> : <Icon name={item.icon} />}
      {!narrow && <span>{t(item.title)}</span>}
    </PageLink>
  );
  return narrow ? (
    <Tooltip label={t(item.title)} position="right">
      {link}
    </Tooltip>
  ) : (
    link
  );
}
