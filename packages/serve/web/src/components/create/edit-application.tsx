import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { Application } from '../../api/model.ts';
import { type Draft, valueAt } from '../../applications/draft.ts';
import { t } from '../../i18n/texts.ts';
import { mergePatchOf } from '../../objects/merge-patch.ts';
import { ApplicationEditor } from './application-editor.tsx';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Changes what an application is. It begins with what was stored when it was opened. */
export function EditApplication({ application }: { application: Application }) {
  const queries = useQueryClient();
  const [before] = useState(application);
  const [saved, setSaved] = useState(0);
  const { labels, annotations, name, namespace } = before.metadata;
  // kubectl keeps its own copy there: nobody writes it by hand, and what is left out of both sides stays as it is
  const { [lastApplied]: _, ...shown } = annotations ?? {};
  const initial: Draft = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name,
      namespace,
      ...(labels ? { labels } : {}),
      ...(Object.keys(shown).length > 0 ? { annotations: shown } : {}),
    },
    spec: before.spec,
  };
  return (
    <div className="on-page">
      <ApplicationEditor
        initial={initial}
        stored
        save={(draft) => store(before, initial, draft)}
        saved={(changed) => {
          setSaved(saved + 1);
          queries.setQueryData(['application', namespace, name], changed);
        }}
      />
      <Text size="sm" role="status" mt="xs">
        {saved > 0 && t('Saved')}
      </Text>
    </div>
  );
}

/** Only what was changed is sent, so that what others change meanwhile stays. */
async function store(application: Application, before: Draft, after: Draft): Promise<Application> {
  const parts = (draft: Draft) => ({
    metadata: { labels: valueAt(draft, 'metadata.labels'), annotations: valueAt(draft, 'metadata.annotations') },
    spec: draft.spec,
  });
  const patch = mergePatchOf(parts(before), parts(after));
  return patch ? await api.patch(application.metadata, patch) : application;
}
