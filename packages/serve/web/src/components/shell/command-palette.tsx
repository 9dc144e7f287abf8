import { Kbd, Modal, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type ApplicationRow, readApplications } from '../../api/application-list.ts';
import { home } from '../../browser/navigation.ts';
import { navigate } from '../../browser/router.ts';
import { useNavigation } from '../../extensions/use-extensions.ts';
import { t } from '../../i18n/texts.ts';
import { StatusBadge } from '../common/status-badge.tsx';

interface Command {
  readonly key: string;
  readonly title: string;
  readonly hint: string;
  readonly health?: string;
  readonly run: () => void;
}

/** Applications that are offered for what was typed. */
const offered = 12;

interface CommandPaletteProps {
  close: () => void;
  commands: readonly Command[];
  /** What is typed, before it is there and since. */
  begun: { current: string };
  /** Set when its input has all of that, and takes the next letters itself. */
  taken: { current: boolean };
}

/** Goes to any page or application, and does what the page can do, by a few letters. */
export function CommandPalette({ close, commands, begun, taken }: CommandPaletteProps) {
  const [text, setText] = useState(() => begun.current);
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (text === begun.current) taken.current = true;
    else setText(begun.current);
  }, [text, begun, taken]);
  // at once, and not when the dialog has come up
  const focus = useCallback((input: HTMLInputElement | null) => input?.focus(), []);
  const [asked] = useDebouncedValue(text, 120);
  const applications = useQuery({
    queryKey: ['palette', asked],
    queryFn: () => readApplications(new URLSearchParams({ text: asked }).toString(), 0),
    placeholderData: keepPreviousData,
    enabled: home === 'applications',
  });
  const pages = useNavigation().flatMap(({ title: section, items }) =>
    items.map(
      ({ path, title }): Command => ({
        key: path,
        title: t(title),
        hint: t(section),
        run: () => navigate(`/${path}`),
      }),
    ),
  );
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ title, hint }: Command) => words.every((word) => `${title} ${hint}`.toLowerCase().includes(word));
  const found = [
    ...[...pages, ...commands].filter(fits),
    ...byName(applications.data?.items ?? [], text)
      .slice(0, offered)
      .map(
        ({ namespace, name, project, health }): Command => ({
          key: `${namespace}/${name}`,
          title: name,
          hint: project,
          health,
          run: () => navigate(`/applications/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`),
        }),
      ),
  ];
  const at = Math.min(chosen, found.length - 1);
  const run = (command: Command | undefined) => {
    if (!command) return;
    close();
    command.run();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice is brought into sight
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  return (
    <Modal.Root opened onClose={close} size="lg" yOffset="12vh">
      <Modal.Overlay />
      <Modal.Content aria-label={t('Commands')}>
        <TextInput
          ref={focus}
          size="md"
          variant="unstyled"
          px="md"
          py={6}
          data-autofocus
          placeholder={t('Go to a page or an application, or do something')}
          aria-label={t('Command')}
          role="combobox"
          aria-expanded
          aria-controls="palette-commands"
          aria-activedescendant={found[at] ? `palette-${at}` : undefined}
          value={text}
          onFocus={() => setText(begun.current)}
          onChange={(event) => {
            begun.current = event.currentTarget.value;
            setText(begun.current);
            setChosen(0);
          }}
          onKeyDown={(event) => {
            const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
            if (step !== 0) {
              event.preventDefault();
              setChosen((at + step + found.length) % Math.max(1, found.length));
            }
            if (event.key === 'Enter') run(found[at]);
          }}
        />
        <div ref={list} id="palette-commands" role="listbox" aria-label={t('Commands')} className="palette">
          {found.map((command, index) => (
            <UnstyledButton
              key={command.key}
              id={`palette-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              className="palette-entry"
              onClick={() => run(command)}
            >
              <span>{command.title}</span>
              <span className="soft">{command.hint}</span>
              {command.health && <StatusBadge status={command.health} size="sm" />}
            </UnstyledButton>
          ))}
          {found.length === 0 && (
            <Text p="md" className="soft">
              {t('Nothing has this name.')}
            </Text>
          )}
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}

const shortcuts: readonly [keys: readonly string[], what: string][] = [
  [['Ctrl', 'K'], 'Go to anything'],
  [['/'], 'Search in this page'],
  [['g', 'a'], 'Applications'],
  [['g', 's'], 'Application sets'],
  [['g', 'r'], 'Rollouts'],
  [['g', 'w'], 'Workflows'],
  [['g', 'p'], 'Projects'],
  [['g', 'c'], 'Clusters'],
  [['j'], 'Next application of the list'],
  [['k'], 'Previous application of the list'],
  [['x'], 'Select the application at hand'],
  [['s'], 'Sync the application that is shown'],
  [['r'], 'Refresh the application that is shown'],
  [['t'], 'Switch colour scheme'],
  [['?'], 'This sheet'],
];

/** What keys do. */
export function ShortcutSheet({ close }: { close: () => void }) {
  return (
    <Modal opened onClose={close} title={t('Keyboard shortcuts')}>
      <dl className="shortcuts">
        {shortcuts.map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{t(what)}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}

/** Those whose name has what is typed before those that have it elsewhere, names that begin so first of all. */
function byName(rows: readonly ApplicationRow[], text: string): ApplicationRow[] {
  const wanted = text.trim().toLowerCase();
  const place = ({ name }: ApplicationRow) => (name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : 2);
  return rows.toSorted((a, b) => place(a) - place(b));
}
