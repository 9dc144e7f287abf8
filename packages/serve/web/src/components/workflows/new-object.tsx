import { Button, Drawer } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { stringify } from 'yaml';
import { type EditableKind, flow, type TemplateKind } from '../../api/flow.ts';
import { argoKind } from '../../api/schemas.ts';
import { navigate } from '../../browser/router.ts';
import { kindNames, newManifest } from '../../families/workflow-templates.ts';
import { t } from '../../i18n/texts.ts';

const ObjectEditor = lazy(() =>
  import('../editor/object-editor.tsx').then(({ ObjectEditor: editor }) => ({ default: editor })),
);

interface NewObjectProps {
  /** Of the template that is made; without one a workflow is submitted. */
  kind?: EditableKind & TemplateKind;
  namespace: string;
  created?: () => void;
}

/** A button that opens the YAML of something new: a template, a cron workflow, or a workflow that begins at once. */
export function NewObject({ kind, namespace, created }: NewObjectProps) {
  const [opened, setOpened] = useState(false);
  const name = kind ? kindNames[kind] : 'Workflow';
  const title = kind ? t('New {kind}', { kind: name }) : t('Submit a workflow');
  const close = () => setOpened(false);
  const save = async (object: Record<string, unknown>) => {
    if (kind) return void (await flow.createTemplate(kind, object));
    const { metadata } = await flow.start(object);
    navigate(`/workflows/${encodeURIComponent(metadata.namespace)}/${encodeURIComponent(metadata.name)}`);
  };
  return (
    <>
      <Button size="sm" onClick={() => setOpened(true)}>
        {title}
      </Button>
      <Drawer opened={opened} onClose={close} position="right" size="min(920px, 100vw)" title={title}>
        <Suspense fallback={null}>
          <ObjectEditor
            name={name}
            text={stringify(newManifest(kind, namespace), { lineWidth: 0 })}
            label={t('{kind} as YAML', { kind: name })}
            kind={argoKind(name)}
            about={
              kind
                ? t('It is checked as when it is submitted, before anything is stored.')
                : t('A new workflow begins with the rights of its ServiceAccount.')
            }
            action={kind ? t('Create') : t('Submit')}
            save={save}
            saved={() => {
              close();
              created?.();
            }}
            cancel={close}
          />
        </Suspense>
      </Drawer>
    </>
  );
}
