import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { api } from '../../api/client.ts';
import type { Application, Origin, TreeNode } from '../../api/model.ts';
import { originPage } from '../../applications/origin-page.ts';
import { ago } from '../../browser/time.ts';
import { t } from '../../i18n/texts.ts';
import { objectKey } from '../../objects/objects.ts';
import { ExternalLink } from '../common/external-link.tsx';
import { Failure } from '../common/failure.tsx';
import { Loading } from '../common/loading.tsx';
import { FieldOrigins } from './field-origins.tsx';

/** The file that an object of the desired state comes from, with the commit and the author of each of its lines. */
export function OriginView({ application, node }: { application: Application; node: TreeNode }) {
  const reference = application.metadata;
  const origin = useQuery({
    queryKey: ['origin', reference.namespace, reference.name, objectKey(node)],
    queryFn: () => api.origin(reference, node),
    retry: false,
  });
  if (origin.error) return <Failure error={origin.error} retry={() => void origin.refetch()} />;
  if (!origin.data) return <Loading />;
  const { file, line, lines, left = 0 } = origin.data;
  if (!file) return <Text className="soft">{t('The source does not tell from which file the object comes.')}</Text>;
  const page = lines && originPage(application, origin.data, line);
  return (
    <>
      <Text size="sm" className="mono" mb="xs" style={{ overflowWrap: 'anywhere' }}>
        <ExternalLink to={page}>
          {file}:{line}
        </ExternalLink>{' '}
        @ {origin.data.revisions.map((revision) => revision.slice(0, 12)).join(', ')}
      </Text>
      {lines ? (
        <Lines origin={origin.data} />
      ) : origin.data.fields?.length ? null : (
        <Text className="soft">{t('A template or a tool made it; its lines are not those of a file in Git.')}</Text>
      )}
      {origin.data.fields?.length ? <FieldOrigins application={application} origin={origin.data} /> : null}
      {left > 0 && <Text className="soft">{t('{count} lines more are in the file.', { count: left })}</Text>}
    </>
  );
}

function Lines({ origin: { lines = [], commits = [] } }: { origin: Origin }) {
  return (
    <section
      className="origin-lines mono"
      aria-label={t('Lines with their authors')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it
      tabIndex={0}
    >
      {lines.map(({ number, text, commit }, index) => {
        const writer = commit === undefined ? undefined : commits[commit];
        const again = index > 0 && lines[index - 1]?.commit === commit;
        return (
          <Fragment key={number}>
            <span
              className="soft one-line"
              title={writer && `${writer.commit.slice(0, 12)} ${writer.author}: ${writer.subject}`}
            >
              {writer && !again && `${writer.author}, ${ago(writer.date, Date.now())}: ${writer.subject}`}
            </span>
            <span className="soft">{number}</span>
            <span className="origin-text">{text ?? '••••'}</span>
          </Fragment>
        );
      })}
    </section>
  );
}
