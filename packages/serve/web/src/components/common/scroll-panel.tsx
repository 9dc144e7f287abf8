import type { CSSProperties, ReactNode } from 'react';

interface ScrollPanelProps {
  /** Name of the region for those who do not see it. */
  label: string;
  style?: CSSProperties;
  hidden?: boolean;
  /** Part of a panel: it has no frame of its own. */
  inset?: boolean | undefined;
  children: ReactNode;
}

/** A panel whose content may be larger than it; keys scroll it. */
export function ScrollPanel({ label, style, hidden, inset, children }: ScrollPanelProps) {
  return (
    <section
      className={inset ? undefined : 'panel'}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region that cannot be focused cannot be scrolled by keys
      tabIndex={0}
      style={{ overflow: 'auto', ...style }}
      hidden={hidden}
    >
      {children}
    </section>
  );
}
