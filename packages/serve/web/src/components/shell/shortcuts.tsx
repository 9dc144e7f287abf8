import { useMantineColorScheme } from '@mantine/core';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { navigate } from '../../browser/router.ts';
import { isTyping } from '../../browser/use-keys.ts';
import { t } from '../../i18n/texts.ts';

const CommandPalette = lazy(() =>
  import('./command-palette.tsx').then(({ CommandPalette: palette }) => ({ default: palette })),
);
const ShortcutSheet = lazy(() =>
  import('./command-palette.tsx').then(({ ShortcutSheet: sheet }) => ({ default: sheet })),
);

/** Pages by the key after `g`. */
const destinations: Readonly<Record<string, string>> = {
  a: '/applications',
  s: '/applicationsets',
  r: '/rollouts',
  w: '/workflows',
  p: '/settings/projects',
  c: '/settings/clusters',
};

/** Milliseconds in which the palette takes letters before it is there; one that does not come must not take them for good. */
const longestWay = 5_000;

/** The keys of the whole page; `opened` is set from outside by who presses a button for it. */
export function Shortcuts({ opened, setOpened }: { opened: boolean; setOpened: (opened: boolean) => void }) {
  const [sheet, setSheet] = useState(false);
  const { toggleColorScheme } = useMantineColorScheme();
  const before = useRef('');
  // what is typed while the palette is on its way belongs into it, wherever the focus is
  const typed = useRef('');
  const taken = useRef(false);
  const asked = useRef(Number.NEGATIVE_INFINITY);
  const opening = useRef(opened);
  useEffect(() => {
    opening.current = opened;
  }, [opened]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        typed.current = '';
        taken.current = false;
        asked.current = performance.now();
        opening.current = true;
        setOpened(true);
        return;
      }
      const isComing = !taken.current && performance.now() - asked.current < longestWay;
      if (opening.current && (isComing || !isTyping(event.target))) {
        if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        typed.current += event.key;
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const last = before.current;
      before.current = event.key;
      const destination = last === 'g' ? destinations[event.key] : undefined;
      if (destination) navigate(destination);
      else if (event.key === '?') setSheet(true);
      else if (event.key === 't') toggleColorScheme();
      else if (event.key === '/') {
        const search = document.querySelector<HTMLElement>(
          `main input[data-search], main input[aria-label="${t('Filter')}"]`,
        );
        if (search) event.preventDefault();
        search?.focus();
      }
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [setOpened, toggleColorScheme]);
  const commands = [
    { key: 'scheme', title: t('Switch colour scheme'), hint: 't', run: toggleColorScheme },
    { key: 'shortcuts', title: t('Keyboard shortcuts'), hint: '?', run: () => setSheet(true) },
    { key: 'diagnoses', title: t('Diagnoses'), hint: '', run: () => navigate('/diagnoses') },
    {
      key: 'failing',
      title: t('Applications that are unwell'),
      hint: t('Deliver'),
      run: () => navigate('/applications?health=Degraded&health=Missing'),
    },
  ];
  const close = () => {
    typed.current = '';
    taken.current = false;
    setOpened(false);
  };
  return (
    <Suspense fallback={null}>
      {opened && <CommandPalette begun={typed} taken={taken} close={close} commands={commands} />}
      {sheet && <ShortcutSheet close={() => setSheet(false)} />}
    </Suspense>
  );
}
