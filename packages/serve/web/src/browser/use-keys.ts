import { useEffect, useRef } from 'react';

/** What single keys do for as long as the component lives; not while somebody types, nor in a dialog, nor after `g`. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const acts = useRef(keys);
  acts.current = keys;
  useEffect(() => {
    let last = '';
    const onKey = (event: KeyboardEvent) => {
      const before = last;
      last = event.key;
      if (event.ctrlKey || event.metaKey || event.altKey || before === 'g' || isTyping(event.target)) return;
      if (document.querySelector('[role=dialog], [role=menu]') || !Object.hasOwn(acts.current, event.key)) return;
      event.preventDefault();
      acts.current[event.key]?.();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** Whether a key belongs to what has the focus, rather than to the page. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName) ||
      target.closest('[role=dialog]') !== null)
  );
}
