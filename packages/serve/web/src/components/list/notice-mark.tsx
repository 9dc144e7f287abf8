import { noticeColours, noticeOfRow } from '../../applications/application-notice.ts';
import { Icon } from '../common/icon.tsx';

/** That the owner of an application has something to say; its first words on pointing at it. */
export function NoticeMark({ values }: { values: Readonly<Record<string, string>> | undefined }) {
  const notice = noticeOfRow(values);
  if (!notice || notice.scope === 'banner') return null;
  const words = notice.content.length > 200 ? `${notice.content.slice(0, 199)}…` : notice.content;
  return (
    <span
      className="mark above"
      data-colour={noticeColours[notice.severity]}
      role="img"
      aria-label={words}
      title={words}
    >
      <Icon name="notifications" size={15} />
    </span>
  );
}
