import { Alert, Anchor } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import type { Application } from '../../api/model.ts';
import { noticeColours, noticeOf } from '../../applications/application-notice.ts';
import { t } from '../../i18n/texts.ts';

/** Notices that were closed are remembered, the last so many of them. */
const most = 200;
const none: readonly string[] = [];

/** What the owner of an application has to say; one that was closed comes again when its words change. */
export function NoticeBanner({ application }: { application: Application }) {
  const { namespace, name, annotations } = application.metadata;
  const [closed, setClosed] = useLocalStorage<readonly string[]>({
    key: 'tiphys.notices-closed',
    defaultValue: none,
    getInitialValueInEffect: false,
  });
  const notice = noticeOf(annotations);
  if (!notice || notice.scope === 'icon') return null;
  const { content, severity, url, permanent } = notice;
  const key = `${namespace}/${name} ${content}`;
  if (!permanent && closed.includes(key)) return null;
  return (
    <Alert
      color={noticeColours[severity]}
      role={severity === 'critical' ? 'alert' : 'status'}
      withCloseButton={!permanent}
      closeButtonLabel={t('Close the notice')}
      onClose={() => setClosed([...closed, key].slice(-most))}
      style={{ overflowWrap: 'anywhere' }}
    >
      {url ? (
        <Anchor href={url} target="_blank" rel="noreferrer noopener" inherit c="inherit" underline="always">
          {content}
        </Anchor>
      ) : (
        content
      )}
    </Alert>
  );
}
