import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type ApplicationRef, api } from '../../api/client.ts';
import type { RevisionMetadata, Source } from '../../api/model.ts';
import { hostPages } from '../../applications/git-host.ts';
import { signatureMark } from '../../applications/signature.ts';
import { ago } from '../../browser/time.ts';
import { t } from '../../i18n/texts.ts';
import { ExternalLink } from '../common/external-link.tsx';

/** A revision in short, which leads to what its host shows of it. */
export function RevisionLink({ source, revision }: { source: Source | undefined; revision: string }) {
  const { repoURL = '', chart } = source ?? {};
  const page = chart ? undefined : hostPages(repoURL)?.revision(revision);
  return (
    <span className="mono" title={revision}>
      <ExternalLink to={page}>{revision.slice(0, 12)}</ExternalLink>
    </span>
  );
}

interface RevisionLineProps {
  reference: ApplicationRef;
  revision: string;
  sourceIndex: number;
  /** Of the history's entry. */
  id?: number;
}

/** What a commit says, and who made it when; of a chart what it is for, and who keeps it. Nothing where a source tells nothing. */
export function RevisionLine({ source, ...rest }: RevisionLineProps & { source: Source | undefined }) {
  if (source?.repoURL?.startsWith('oci://')) return <ArtifactLine {...rest} />;
  return source?.chart ? <ChartLine {...rest} /> : <CommitLine {...rest} />;
}

function CommitLine({ reference, revision, sourceIndex, id }: RevisionLineProps) {
  const metadata = useQuery({
    queryKey: ['revision', reference.namespace, reference.name, revision, sourceIndex, id],
    queryFn: () => api.revision(reference, revision, sourceIndex, id),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    enabled: revision !== '',
  });
  const { message = '', author = '', date, tags } = metadata.data ?? {};
  return (
    <Line
      words={message}
      more={[author.replace(/\s*<[^<>]*>\s*$/, ''), date && ago(date, Date.now()), ...(tags ?? [])]}
      mark={metadata.data && <Signature metadata={metadata.data} />}
    />
  );
}

const signatureLooks = {
  trusted: { colour: 'teal', symbol: '✓' },
  refused: { colour: 'red', symbol: '✕' },
  unverified: { colour: 'yellow', symbol: '?' },
} as const;

/** Whether a commit is signed, and by a key that is known and permitted; nothing of one without a signature that needs none. */
function Signature({ metadata }: { metadata: RevisionMetadata }) {
  const mark = signatureMark(metadata);
  if (!mark) return null;
  const { colour, symbol } = signatureLooks[mark.state];
  return (
    <span className="status" data-size="sm" data-colour={colour} title={mark.detail}>
      <span aria-hidden>{symbol}</span> {t(mark.words)}
    </span>
  );
}

function ChartLine({ reference, revision, sourceIndex, id }: RevisionLineProps) {
  const details = useQuery({
    queryKey: ['chart', reference.namespace, reference.name, revision, sourceIndex, id],
    queryFn: () => api.chart(reference, revision, sourceIndex, id),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    enabled: revision !== '',
  });
  const { description = '', home, maintainers } = details.data ?? {};
  return <Line words={description} page={home} more={maintainers ?? []} />;
}

function ArtifactLine({ reference, revision, sourceIndex, id }: RevisionLineProps) {
  const details = useQuery({
    queryKey: ['artifact', reference.namespace, reference.name, revision, sourceIndex, id],
    queryFn: () => api.artifact(reference, revision, sourceIndex, id),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    enabled: revision !== '',
  });
  const { description = '', version, authors, createdAt, sourceUrl, docsUrl } = details.data ?? {};
  return (
    <Line
      words={description}
      page={sourceUrl || docsUrl}
      more={[version, authors, createdAt && ago(createdAt, Date.now())]}
    />
  );
}

/** `page` is where its words lead. */
function Line({
  words,
  page,
  more,
  mark,
}: {
  words: string;
  page?: string | undefined;
  more: readonly (string | undefined)[];
  mark?: ReactNode;
}) {
  const by = more.filter(Boolean);
  if (!words && by.length === 0) return null;
  return (
    <div title={words}>
      <Text size="sm" className="one-line">
        <ExternalLink to={page}>{words.split('\n', 1)[0] || page}</ExternalLink>
      </Text>
      <Text size="xs" className="soft">
        {by.join(' · ')} {mark}
      </Text>
    </div>
  );
}
