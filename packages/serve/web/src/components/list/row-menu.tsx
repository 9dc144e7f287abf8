import { Loader, Menu } from '@mantine/core';
import { createContext, useContext, useState } from 'react';
import type { ApplicationRow } from '../../api/application-list.ts';
import { navigate } from '../../browser/router.ts';
import { t } from '../../i18n/texts.ts';
import { Icon } from '../common/icon.tsx';

export type RowVerb = 'sync' | 'refresh' | 'hard-refresh' | 'delete';

/** Does something to one application of the list; a refresh ends when the server has compared it. */
export type RowAct = (verb: RowVerb, row: ApplicationRow) => Promise<void>;

/** The same function for as long as the list lives: rows are not drawn again for it. */
export const RowActContext = createContext<RowAct | undefined>(undefined);

const places = [
  ['diff', 'Diff'],
  ['logs', 'Logs'],
  ['events', 'Events'],
  ['history', 'History'],
] as const;

/** What can be done with one application of the list. Its items are made when somebody opens it: there may be thousands. */
export function RowMenu({ row }: { row: ApplicationRow }) {
  const act = useContext(RowActContext);
  const [opened, setOpened] = useState(false);
  const [busy, setBusy] = useState(false);
  if (!act) return null;
  const run = async (verb: RowVerb) => {
    setBusy(true);
    try {
      await act(verb, row);
    } finally {
      setBusy(false);
    }
  };
  const target = (
    <button
      type="button"
      className="above star"
      aria-label={t('Menu of {name}', { name: row.name })}
      aria-haspopup="menu"
      onClick={() => setOpened(true)}
    >
      {busy ? <Loader size={13} /> : <Icon name="more" size={15} />}
    </button>
  );
  if (!opened) return target;
  const path = `/applications/${encodeURIComponent(row.namespace)}/${encodeURIComponent(row.name)}`;
  return (
    <Menu opened onChange={setOpened} position="bottom-end" withinPortal>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void run('sync')}>{t('Sync …')}</Menu.Item>
        <Menu.Item onClick={() => void run('refresh')}>{t('Refresh: ask the repository now')}</Menu.Item>
        <Menu.Item onClick={() => void run('hard-refresh')}>{t('Hard refresh: render anew too')}</Menu.Item>
        <Menu.Divider />
        {places.map(([tab, title]) => (
          <Menu.Item key={tab} onClick={() => navigate(`${path}/${tab}`)}>
            {t(title)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item color="red" onClick={() => void run('delete')}>
          {t('Delete …')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
