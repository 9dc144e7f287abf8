import { Tabs } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

/** The tabs of a page or a drawer. On a phone they are one line, which is swiped, and begins where the chosen one is seen. */
export function TabStrip({ children }: { children: ReactNode }) {
  const strip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const host = strip.current;
    const chosen = host?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (!host || !chosen || host.scrollWidth <= host.clientWidth) return;
    const { left, right } = host.getBoundingClientRect();
    const tab = chosen.getBoundingClientRect();
    if (tab.left < left || tab.right > right) host.scrollLeft += tab.left - left - 24;
  });
  return (
    <Tabs.List ref={strip} mb="md" className="page-tabs">
      {children}
    </Tabs.List>
  );
}
