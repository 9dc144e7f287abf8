import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import type { Application, Diagnosis } from '../../api/model.ts';
import { t } from '../../i18n/texts.ts';

/** The remedy of a diagnosis where it is one that the page itself can apply; nothing for others. */
export function RemedyButton({ diagnosis, application }: { diagnosis: Diagnosis; application: Application }) {
  const queries = useQueryClient();
  const { metadata, spec } = application;
  const options = spec.syncPolicy?.syncOptions ?? [];
  const mutation = useMutation({
    mutationFn: () =>
      api.patch(metadata, { spec: { syncPolicy: { syncOptions: [...options, 'CreateNamespace=true'] } } }),
    onSuccess: (changed) => queries.setQueryData(['application', metadata.namespace, metadata.name], changed),
  });
  if (diagnosis.code !== 'NamespaceMissing' || options.includes('CreateNamespace=true')) return null;
  return (
    <div>
      <Button size="xs" loading={mutation.isPending} onClick={() => mutation.mutate()}>
        {t('Let syncs create the namespace')}
      </Button>{' '}
      <Text span size="xs" className="soft">
        {t('sets the option {option} of this application', { option: 'CreateNamespace=true' })}
      </Text>
      {mutation.error && <Text c="var(--mantine-color-error)">{mutation.error.message}</Text>}
    </div>
  );
}
