import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import type { Application } from '../../api/model.ts';
import { quarantineOf } from '../../applications/quarantine.ts';
import { readLink } from '../../browser/safe-link.ts';
import { ago } from '../../browser/time.ts';
import { t } from '../../i18n/texts.ts';
import { ExternalLink } from '../common/external-link.tsx';
import { StatusBadge } from '../common/status-badge.tsx';
import { ReleaseButton } from './release-button.tsx';

/** Values that are shown before somebody asks for the rest. */
const few = 3;

/** What not every application has: how its source was hydrated, addresses and links, images, labels, and what its spec tells of it. */
export function MoreFacts({ app }: { app: Application }) {
  const { metadata, spec, status } = app;
  const links = useQuery({
    queryKey: ['application', metadata.namespace, metadata.name, 'links'],
    queryFn: () => api.applicationLinks(metadata),
    staleTime: 60_000,
  });
  const urls = (status?.summary?.externalURLs ?? []).map(readLink);
  const named = (links.data ?? []).map(({ title = '', url = '' }) => ({ title: title || url, url }));
  return (
    <>
      <Hydration app={app} />
      <Quarantine app={app} />
      {spec.info?.map(({ name, value }) => (
        <Fact key={name} name={name}>
          <ExternalLink to={value}>{value}</ExternalLink>
        </Fact>
      ))}
      <Values
        name={t('Links')}
        values={[...named, ...urls].map(({ title, url }) => (
          <ExternalLink key={title + url} to={url}>
            {title}
          </ExternalLink>
        ))}
      />
      <Values
        name={t('Images')}
        values={(status?.summary?.images ?? []).map((image) => (
          <span key={image} className="mono">
            {image}
          </span>
        ))}
      />
      <Values
        name={t('Labels')}
        values={Object.entries(metadata.labels ?? {}).map(([name, value]) => (
          <span key={name} className="mono">
            {name}={value}
          </span>
        ))}
      />
    </>
  );
}

/** The revisions that automated sync does not deliver. */
function Quarantine({ app }: { app: Application }) {
  const entries = quarantineOf(app);
  if (entries.length === 0) return null;
  return (
    <Fact name={t('In quarantine')}>
      <span className="mono">
        {entries
          .flatMap(({ revisions }) => revisions)
          .map((revision) => revision.slice(0, 12))
          .join(', ')}
      </span>{' '}
      <ReleaseButton application={app} />
    </Fact>
  );
}

/** Where the manifests of a hydrated source stand: the commit that was hydrated, and the one that has what came of it. */
function Hydration({ app: { spec, status } }: { app: Application }) {
  const operation = status?.sourceHydrator?.currentOperation;
  if (!spec.sourceHydrator) return null;
  const { phase, drySHA = '', hydratedSHA = '', message = '', startedAt, finishedAt } = operation ?? {};
  return (
    <Fact name={t('Hydration')}>
      {phase ? <StatusBadge status={phase} size="sm" /> : <span className="soft">{t('not known yet')}</span>}{' '}
      <span className="mono">
        {[drySHA, hydratedSHA]
          .filter(Boolean)
          .map((sha) => sha.slice(0, 12))
          .join(' → ')}
      </span>{' '}
      <span className="soft">{ago(finishedAt ?? startedAt, Date.now())}</span>
      {message && phase !== 'Hydrated' && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
      )}
    </Fact>
  );
}

function Values({ name, values }: { name: string; values: readonly ReactNode[] }) {
  if (values.length === 0) return null;
  const line = (value: ReactNode, index: number) => <div key={index}>{value}</div>;
  return (
    <Fact name={name}>
      {values.slice(0, few).map(line)}
      {values.length > few && (
        <details>
          <summary>{t('and {count} more', { count: values.length - few })}</summary>
          {values.slice(few).map(line)}
        </details>
      )}
    </Fact>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>{children}</dd>
    </>
  );
}
