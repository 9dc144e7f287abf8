import { Skeleton } from '@mantine/core';
import { t } from '../../i18n/texts.ts';

/** What is still being read: the room that it will take, in pixels, or lines of text. */
export function Loading({ height }: { height?: number }) {
  return (
    <div role="status" aria-label={t('Loading …')} className="loading">
      {height === undefined ? (
        ['62%', '84%', '47%'].map((width) => <Skeleton key={width} height={12} width={width} radius="xl" />)
      ) : (
        <Skeleton height={height} radius="md" />
      )}
    </div>
  );
}
