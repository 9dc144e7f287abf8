import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import type { Application } from '../../api/model.ts';
import { quarantineAnnotation, quarantineOf } from '../../applications/quarantine.ts';
import { readLink } from '../../browser/safe-link.ts';
import { ago } from '../../browser/time.ts';
import { exactTime } from '../../browser/zone.ts';
import { t } from '../../i18n/texts.ts';
import { ExternalLink } from '../common/external-link.tsx';
import { PageLink } from '../common/page-link.tsx';
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
      {metadata.creationTimestamp && (
        <Fact name={t('Created')}>
          <span title={exactTime(metadata.creationTimestamp)}>{ago(metadata.creationTimestamp, Date.now())}</span>
        </Fact>
      )}
      <Values
        name={t('Made by')}
        values={(metadata.ownerReferences ?? []).map(({ kind, name }) =>
          kind === 'ApplicationSet' ? (
            <PageLink
              key={name}
              to={`applicationsets/${encodeURIComponent(metadata.namespace)}/${encodeURIComponent(name)}`}
              className="quiet-link"
            >
              {name}
            </PageLink>
          ) : (
            <span key={name}>
              {kind} {name}
            </span>
          ),
        )}
      />
      <Values
        name={t('Sync options')}
        values={optionsOf(app).map((option) => (
          <span key={option} className="mono">
            {option}
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
      <Values
        name={t('Annotations')}
        values={Object.entries(metadata.annotations ?? {}).flatMap(([name, value]) =>
          told.has(name) || /^(notice|link)\.argocd\.argoproj\.io\//.test(name)
            ? []
            : [<span key={name} className="mono">{`${name}=${value.slice(0, longest)}`}</span>],
        )}
      />
    </>
  );
}

/** Annotations that are told elsewhere, or by which programs remember what they did. */
const told: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'argocd.argoproj.io/refresh',
  quarantineAnnotation,
]);
/** Letters of an annotation that are shown. */
const longest = 200;

/** What its syncs are told to do in another way than usual, with their retries. */
function optionsOf({ spec: { syncPolicy } }: Application): string[] {
  const { limit, backoff } = syncPolicy?.retry ?? {};
  const waits = [backoff?.duration, backoff?.maxDuration].filter(Boolean).join(' … ');
  return [
    ...(syncPolicy?.syncOptions ?? []),
    ...(limit === undefined || Number(limit) === 0
      ? []
      : [`${t('Retries')}: ${Number(limit) < 0 ? '∞' : limit}${waits && ` (${waits})`}`]),
  ];
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
