import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ApplicationRef, api } from '../../api/client.ts';
import { ago } from '../../browser/time.ts';

interface RevisionLineProps {
  reference: ApplicationRef;
  revision: string;
  sourceIndex: number;
  /** Of the history's entry. */
  id?: number;
}

/** What a commit says, and who made it when; nothing where a source has no commits. */
export function RevisionLine({ reference, revision, sourceIndex, id }: RevisionLineProps) {
  const metadata = useQuery({
    queryKey: ['revision', reference.namespace, reference.name, revision, sourceIndex, id],
    queryFn: () => api.revision(reference, revision, sourceIndex, id),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    enabled: revision !== '',
  });
  const { message = '', author = '', date, tags } = metadata.data ?? {};
  const by = [author.replace(/\s*<[^<>]*>\s*$/, ''), date && ago(date, Date.now()), ...(tags ?? [])].filter(Boolean);
  if (!message && by.length === 0) return null;
  return (
    <div title={message}>
      <Text size="sm" className="one-line">
        {message.split('\n', 1)[0]}
      </Text>
      <Text size="xs" className="soft">
        {by.join(' · ')}
      </Text>
    </div>
  );
}
