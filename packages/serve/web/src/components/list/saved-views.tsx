import { Button, Menu, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useState } from 'react';
import { type ListState, readListState, writeListState } from '../../applications/list-state.ts';
import { t } from '../../i18n/texts.ts';

interface SavedView {
  name: string;
  query: string;
}

/** Filters with a name, kept by the browser. */
export function SavedViews({ state, change }: { state: ListState; change: (state: ListState) => void }) {
  const [views, setViews] = useLocalStorage<SavedView[]>({ key: 'tiphys.views', defaultValue: [] });
  const [name, setName] = useState('');
  const query = writeListState(state);
  const save = () => {
    if (!name.trim()) return;
    setViews([...views.filter((view) => view.name !== name.trim()), { name: name.trim(), query }]);
    setName('');
  };
  return (
    <Menu position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>
        <Button variant="default">{views.find((view) => view.query === query)?.name ?? t('Views')}</Button>
      </Menu.Target>
      <Menu.Dropdown miw={240}>
        {views.length === 0 && <Menu.Label>{t('No view is saved yet')}</Menu.Label>}
        {views.map((view) => (
          <Menu.Item
            key={view.name}
            onClick={() => change(readListState(new URLSearchParams(view.query)))}
            fw={view.query === query ? 650 : 400}
          >
            {view.name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <form
          style={{ display: 'flex', gap: 6, padding: 6 }}
          onSubmit={(event) => {
            event.preventDefault();
            save();
          }}
        >
          <TextInput
            size="xs"
            placeholder={t('Name of this view')}
            aria-label={t('Name of this view')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button size="xs" type="submit">
            {t('Save')}
          </Button>
        </form>
        {views.some((view) => view.query === query) && (
          <Menu.Item color="red" onClick={() => setViews(views.filter((view) => view.query !== query))}>
            {t('Forget this view')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
