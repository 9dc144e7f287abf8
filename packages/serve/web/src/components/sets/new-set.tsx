import { Drawer } from '@mantine/core';
import { api } from '../../api/client.ts';
import { navigate } from '../../browser/router.ts';
import { t } from '../../i18n/texts.ts';
import { SetEditor } from './set-editor.tsx';

/** What a new set begins with: an application for each folder below `apps`. */
const beginning = {
  metadata: { name: 'apps' },
  spec: {
    goTemplate: true,
    goTemplateOptions: ['missingkey=error'],
    generators: [
      { git: { repoURL: 'https://example.com/apps.git', revision: 'HEAD', directories: [{ path: 'apps/*' }] } },
    ],
    template: {
      metadata: { name: '{{.path.basename}}' },
      spec: {
        project: 'default',
        source: { repoURL: 'https://example.com/apps.git', targetRevision: 'HEAD', path: '{{.path.path}}' },
        destination: { server: 'https://kubernetes.default.svc', namespace: '{{.path.basename}}' },
      },
    },
  },
};

/** Makes an ApplicationSet, and goes to it. */
export function NewSet({ close }: { close: () => void }) {
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size="min(920px, 100vw)"
      title={t('New {kind}', { kind: 'ApplicationSet' })}
    >
      <SetEditor
        set={beginning}
        action={t('Create')}
        save={async (object) => {
          const { metadata } = await api.createSet(object);
          navigate(`/applicationsets/${encodeURIComponent(metadata.namespace)}/${encodeURIComponent(metadata.name)}`);
          return metadata;
        }}
        saved={close}
        cancel={close}
      />
    </Drawer>
  );
}
