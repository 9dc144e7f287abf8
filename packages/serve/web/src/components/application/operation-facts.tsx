import type { Application, OperationState } from '../../api/model.ts';
import { shownSourcesOf } from '../../applications/sync-request.ts';
import { exactTime } from '../../browser/zone.ts';
import { t } from '../../i18n/texts.ts';
import { told } from '../../i18n/told.ts';
import { RevisionLine, RevisionLink } from './revision-line.tsx';

/** What was asked of an operation: the revisions, when, by whom and why, with which options, and for which objects. */
export function OperationFacts({ application, state }: { application: Application; state: OperationState }) {
  const { operation, syncResult, startedAt, finishedAt, retryCount } = state;
  const sources = shownSourcesOf(application);
  const revisions = syncResult?.revisions?.length ? syncResult.revisions : [syncResult?.revision ?? ''];
  const options = optionsOf(operation?.sync);
  const chosen = operation?.sync?.resources?.length ?? 0;
  const facts: [name: string, value: string][] = [
    [t('Started'), exactTime(startedAt ?? '')],
    [t('Finished'), exactTime(finishedAt ?? '')],
    [t('Options'), options.join(', ')],
    [t('Objects'), chosen > 0 ? t('{count} were chosen', { count: chosen }) : ''],
    [t('Retries'), retryCount ? String(retryCount) : ''],
    ...(operation?.info ?? []).map(({ name, value }): [string, string] => [name, told(value)]),
  ];
  return (
    <dl className="facts operation-facts">
      {revisions.map((revision, index) =>
        revision === '' ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: sources are known by their position
          <div key={index} style={{ display: 'contents' }}>
            <dt>{t('Revision')}</dt>
            <dd>
              <RevisionLink source={sources[index]} revision={revision} />
              <RevisionLine
                reference={application.metadata}
                source={sources[index]}
                revision={revision}
                sourceIndex={index}
              />
            </dd>
          </div>
        ),
      )}
      {facts.map(([name, value]) =>
        value === '' ? null : (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

function optionsOf(sync: NonNullable<OperationState['operation']>['sync']): string[] {
  const { apply, hook } = sync?.syncStrategy ?? {};
  return [
    ...(sync?.prune ? [t('Prune')] : []),
    ...(sync?.dryRun ? [t('Dry run')] : []),
    ...(apply ? [t('Apply only')] : []),
    ...(apply?.force || hook?.force ? [t('Force')] : []),
    ...(sync?.syncOptions ?? []),
  ];
}
