import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { parse } from 'yaml';
import { type ApplicationRef, api } from '../../api/client.ts';
import type { TreeNode } from '../../api/model.ts';
import { useKindSchema } from '../../api/schemas.ts';
import { t } from '../../i18n/texts.ts';
import { mergePatchOf } from '../../objects/merge-patch.ts';
import { Failure } from '../common/failure.tsx';
import { YamlEditor } from '../editor/yaml-editor.tsx';

interface LiveEditorProps {
  reference: ApplicationRef;
  node: TreeNode;
  object: unknown;
  /** Of the object, in the order of a manifest. */
  text: string;
  close: () => void;
}

/** Changes the object in the cluster; only what was changed is sent. */
export function LiveEditor({ reference, node, object, text, close }: LiveEditorProps) {
  const queries = useQueryClient();
  const [edited, setEdited] = useState(text);
  const schema = useKindSchema({ group: node.group ?? '', version: node.version ?? '', kind: node.kind }, reference);
  const mutation = useMutation({
    mutationFn: async () => {
      const { metadata, ...rest } = object as Record<string, unknown>;
      const { managedFields: _, ...shown } = (metadata ?? {}) as Record<string, unknown>;
      const patch = mergePatchOf({ ...rest, metadata: shown }, parse(edited));
      if (patch) await api.patchObject(reference, node, patch);
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['live', reference.namespace, reference.name] });
      close();
    },
  });
  return (
    <Stack gap="xs">
      <Text size="sm" className="soft">
        {t('Changes the cluster, not the repository: a sync brings back what the repository says.')}
      </Text>
      <YamlEditor name={node.name} text={text} change={setEdited} label={t('Live manifest')} schema={schema} />
      {mutation.error && <Failure error={mutation.error} />}
      <Group justify="flex-end">
        <Button size="xs" variant="default" onClick={close}>
          {t('Cancel')}
        </Button>
        <Button size="xs" loading={mutation.isPending} onClick={() => mutation.mutate()}>
          {t('Save')}
        </Button>
      </Group>
    </Stack>
  );
}
