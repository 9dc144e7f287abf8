import type { AnchorHTMLAttributes, MouseEvent } from 'react';
import { navigate } from '../../browser/router.ts';

/** Goes to a page of ours when a link to it is pressed, unless it is to be opened elsewhere. `to` begins without a slash. */
export function followTo(to: string): (event: MouseEvent<HTMLAnchorElement>) => void {
  return (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    navigate(`/${to}`);
  };
}

/** A link to a page of ours: a real one, so that it opens in another tab as any other does. `to` begins without a slash. */
export function PageLink({ to, onClick, ...rest }: { to: string } & AnchorHTMLAttributes<HTMLAnchorElement>) {
  const follow = followTo(to);
  return (
    <a
      href={to}
      onClick={(event) => {
        onClick?.(event);
        follow(event);
      }}
      {...rest}
    />
  );
}
