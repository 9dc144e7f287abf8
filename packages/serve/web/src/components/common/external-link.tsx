import type { ReactNode } from 'react';
import { safeLink } from '../../browser/safe-link.ts';

/** A link to a page of somebody else; the words alone where there is none, or where a browser would do more than go there. */
export function ExternalLink({ to, children }: { to: string | undefined; children: ReactNode }) {
  const address = to === undefined ? undefined : safeLink(to);
  return address ? (
    <a className="external-link" href={address} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ) : (
    children
  );
}
