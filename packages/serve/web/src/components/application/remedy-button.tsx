import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { stringify } from 'yaml';
import { api } from '../../api/client.ts';
import type { Application } from '../../api/model.ts';
import { settingsApi } from '../../api/settings.ts';
import type { DiagnosisGroup } from '../../applications/group-diagnoses.ts';
import { type Additions, type PageRemedy, remedyOf, withAdditions } from '../../applications/remedies.ts';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';
import { ConfirmButton } from '../forms/confirm-button.tsx';
import { ReleaseButton } from './release-button.tsx';

interface RemedyButtonProps {
  group: DiagnosisGroup;
  application: Application;
  sync: () => void;
}

/** The remedy of a diagnosis where it is one that the page itself can apply; nothing for others. */
export function RemedyButton({ group, application, sync }: RemedyButtonProps) {
  const queries = useQueryClient();
  const remedy = remedyOf(group, application);
  const { metadata } = application;
  const changed = () =>
    void queries.invalidateQueries({ queryKey: ['application', metadata.namespace, metadata.name] });
  if (!remedy) return null;
  if (remedy.act === 'sync-again')
    return (
      <div>
        <Button size="xs" onClick={sync}>
          {t('Sync again …')}
        </Button>
      </div>
    );
  if (remedy.act === 'release')
    return (
      <div>
        <ReleaseButton application={application} remedy />
      </div>
    );
  if (remedy.act === 'confirm-deletion')
    return (
      <div>
        <ConfirmButton
          size="xs"
          label={t('Confirm the deletion')}
          title={t('Confirm the deletion')}
          effect={group.diagnosis.message}
          run={() => api.confirmDeletion(metadata)}
          done={changed}
        />
      </div>
    );
  return <ChangeButton application={application} remedy={remedy} changed={changed} />;
}

interface ChangeButtonProps {
  application: Application;
  remedy: Extract<PageRemedy, { additions: Additions }>;
  changed: () => void;
}

/** Adds to the application or to its project; what that is stands beside the button or, where it is shown above already, not again. */
function ChangeButton({ application: { metadata, spec }, remedy, changed }: ChangeButtonProps) {
  const mutation = useMutation({
    mutationFn: async () => {
      if (remedy.act === 'change-application')
        return await api.patch(metadata, { spec: withAdditions(spec, remedy.additions) });
      const project = await settingsApi.project(remedy.project);
      await settingsApi.changeProject({
        ...project,
        spec: { ...project.spec, ...withAdditions(project.spec, remedy.additions) },
      });
      return await api.refresh(metadata, 'normal');
    },
    onSuccess: changed,
  });
  const added = stringify(remedy.additions).trim();
  return (
    <div>
      {remedy.act === 'change-project' ? (
        <ConfirmButton
          size="xs"
          danger={false}
          label={t('Allow it in project {name}', { name: remedy.project })}
          title={t('Allow it in project {name}', { name: remedy.project })}
          effect={t('This is added to the project, and holds for all of its applications:')}
          detail={<pre className="snippet mono">{added}</pre>}
          run={() => mutation.mutateAsync()}
          done={() => undefined}
        />
      ) : (
        <>
          <Button size="xs" loading={mutation.isPending} onClick={() => mutation.mutate()}>
            {wordsOf(remedy.additions)}
          </Button>{' '}
          <Text span size="xs" className="soft">
            {t('adds {what} to this application', {
              what: remedy.additions['syncPolicy.syncOptions']?.join(', ') ?? 'spec.ignoreDifferences',
            })}
          </Text>
          {mutation.error && <Failure error={mutation.error} />}
        </>
      )}
    </div>
  );
}

function wordsOf(additions: Additions): string {
  if (additions['ignoreDifferences']) return t('Ignore the difference');
  return additions['syncPolicy.syncOptions']?.includes('CreateNamespace=true')
    ? t('Let syncs create the namespace')
    : t('Set the option');
}
