import type { AnchorHTMLAttributes, MouseEvent } from 'react';
import { navigate } from '../../browser/router.ts';

/** A link to a page of ours: a real one, so that it opens in another tab as any other does. `to` begins without a slash. */
export function PageLink({ to, onClick, ...rest }: { to: string } & AnchorHTMLAttributes<HTMLAnchorElement>) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    navigate(`/${to}`);
  };
  return <a href={to} onClick={follow} {...rest} />;
}
