import { Drawer } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { draftOfAddress } from '../../applications/draft.ts';
import { navigate } from '../../browser/router.ts';
import { t } from '../../i18n/texts.ts';
import { ApplicationEditor } from './application-editor.tsx';

/** Makes an application, and goes to it. */
export function NewApplication({ close }: { close: () => void }) {
  // what the address says at the beginning: an edit is not undone by it
  const [initial] = useState(() => draftOfAddress(new URLSearchParams(window.location.search)));
  return (
    <Drawer opened onClose={close} position="right" size="min(1280px, 100vw)" title={t('New application')}>
      <ApplicationEditor
        initial={initial}
        stored={false}
        save={(draft) => api.create(draft)}
        saved={({ metadata }) =>
          navigate(`/applications/${encodeURIComponent(metadata.namespace)}/${encodeURIComponent(metadata.name)}`)
        }
        cancel={close}
      />
    </Drawer>
  );
}
