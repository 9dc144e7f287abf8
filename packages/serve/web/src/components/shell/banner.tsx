import { CloseButton } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../../api/client.ts';
import { ownStyles, safeLink } from '../../browser/safe-link.ts';
import { t } from '../../i18n/texts.ts';

/** What the administrator has to say to everybody: `ui.bannercontent` and its kin. One that was closed stays closed until its words change. */
export function Banner({ place }: { place: 'top' | 'bottom' }) {
  const settings = useQuery({ queryKey: ['settings'], queryFn: api.settings, staleTime: 60_000 });
  const [closed, setClosed] = useLocalStorage({
    key: 'tiphys.banner-closed',
    defaultValue: '',
    getInitialValueInEffect: false,
  });
  const {
    uiBannerContent: words = '',
    uiBannerURL = '',
    uiBannerPermanent,
    uiBannerPosition = 'top',
  } = settings.data ?? {};
  const wanted = uiBannerPosition === 'both' || (uiBannerPosition === 'bottom' ? 'bottom' : 'top') === place;
  if (!words || !wanted || (!uiBannerPermanent && closed === words)) return null;
  const link = safeLink(uiBannerURL);
  return (
    <aside className="banner" data-place={place} aria-label={t('Notice')}>
      {link ? (
        <a className="banner-link" href={link} target="_blank" rel="noreferrer noopener">
          {words}
        </a>
      ) : (
        <span>{words}</span>
      )}
      {!uiBannerPermanent && (
        <CloseButton
          size="sm"
          variant="transparent"
          aria-label={t('Close the notice')}
          onClick={() => setClosed(words)}
        />
      )}
    </aside>
  );
}

/** Loads the style sheet of `ui.cssurl`: a path of this server, or an address that its security policy permits. */
export function useCustomStyles(): void {
  const settings = useQuery({ queryKey: ['settings'], queryFn: api.settings, staleTime: 60_000 });
  const address = ownStyles(settings.data?.uiCssURL ?? '');
  useEffect(() => {
    if (!address) return undefined;
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = address;
    document.head.append(link);
    return () => link.remove();
  }, [address]);
}
