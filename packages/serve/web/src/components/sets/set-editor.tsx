import type { ApplicationSet } from '../../api/model.ts';
import { argoKind } from '../../api/schemas.ts';
import { t } from '../../i18n/texts.ts';
import { editableYaml } from '../../objects/shown-yaml.ts';
import { ObjectEditor } from '../editor/object-editor.tsx';
import { SetChanges } from './set-preview.tsx';

interface SetEditorProps {
  /** What it begins with. */
  set: { readonly metadata: { readonly name: string; readonly namespace?: string }; readonly spec: object };
  action: string;
  save: (object: Record<string, unknown>) => Promise<unknown>;
  saved: () => void;
  cancel: () => void;
}

/** An ApplicationSet as YAML, and what its controller would do with what is written, before it is stored. */
export function SetEditor({ set, action, save, saved, cancel }: SetEditorProps) {
  return (
    <ObjectEditor
      name={set.metadata.name}
      text={editableYaml('ApplicationSet', set)}
      label={t('{kind} as YAML', { kind: 'ApplicationSet' })}
      kind={argoKind('ApplicationSet')}
      about={t('Its applications are made, changed and deleted by what is saved here, as its policy lets it.')}
      action={action}
      save={save}
      saved={saved}
      cancel={cancel}
      preview={(object) => {
        const edited = object as unknown as ApplicationSet;
        const { name = set.metadata.name, namespace = set.metadata.namespace ?? '' } = edited.metadata ?? {};
        return <SetChanges reference={{ name, namespace }} edited={edited} />;
      }}
    />
  );
}
