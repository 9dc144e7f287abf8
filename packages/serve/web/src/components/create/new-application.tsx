import { Drawer } from '@mantine/core';
import { api } from '../../api/client.ts';
import { emptyDraft } from '../../applications/draft.ts';
import { navigate } from '../../browser/router.ts';
import { t } from '../../i18n/texts.ts';
import { ApplicationEditor } from './application-editor.tsx';

/** Makes an application, and goes to it. */
export function NewApplication({ close }: { close: () => void }) {
  return (
    <Drawer opened onClose={close} position="right" size="min(1280px, 100vw)" title={t('New application')}>
      <ApplicationEditor
        initial={emptyDraft}
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
