import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { parse } from 'yaml';
import { type KindName, useKindSchema } from '../../api/schemas.ts';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';
import { YamlEditor } from './yaml-editor.tsx';

interface ObjectEditorProps {
  /** What it begins with. */
  text: string;
  /** Another name begins anew. */
  name: string;
  label: string;
  kind: KindName;
  /** What saving does, before it does it. */
  about: string;
  action: string;
  save: (object: Record<string, unknown>) => Promise<unknown>;
  saved: () => void;
  cancel: () => void;
  /** What would become of it, shown when somebody asks, before it is saved. */
  preview?: ((object: Record<string, unknown>) => ReactNode) | undefined;
}

/** An object of the control plane's cluster as YAML: its fields are offered, and mistakes marked, as the cluster's own schema has them. */
export function ObjectEditor({
  text,
  name,
  label,
  kind,
  about,
  action,
  save,
  saved,
  cancel,
  preview,
}: ObjectEditorProps) {
  const [edited, setEdited] = useState(text);
  const schema = useKindSchema(kind);
  const mutation = useMutation({ mutationFn: async () => save(objectOf(edited)), onSuccess: saved });
  const trial = useMutation({ mutationFn: async () => objectOf(edited) });
  return (
    <Stack gap="xs">
      <Text size="sm" className="soft">
        {about}
      </Text>
      <YamlEditor name={name} text={text} change={setEdited} label={label} schema={schema} />
      {mutation.error && <Failure error={mutation.error} />}
      {trial.error && <Failure error={trial.error} />}
      {trial.data && preview?.(trial.data)}
      <Group justify="flex-end" className="dialog-footer">
        <Button size="xs" variant="default" onClick={cancel}>
          {t('Cancel')}
        </Button>
        {preview && (
          <Button size="xs" variant="default" onClick={() => trial.mutate()}>
            {t('Show what would change')}
          </Button>
        )}
        <Button size="xs" loading={mutation.isPending} onClick={() => mutation.mutate()}>
          {action}
        </Button>
      </Group>
    </Stack>
  );
}

/** Throws what is wrong with the text. */
function objectOf(text: string): Record<string, unknown> {
  const value: unknown = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(t('The text is no object: it needs apiVersion, kind, metadata and spec'));
  return value as Record<string, unknown>;
}
