import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** Width of an element, and its distance from the top of the document, in pixels; both follow the window. */
export function usePlace<T extends HTMLElement>(): { ref: RefObject<T | null>; width: number; top: number } {
  const ref = useRef<T>(null);
  const [place, setPlace] = useState({ width: 0, top: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const measure = () => {
      const { width, top } = element.getBoundingClientRect();
      const next = { width: Math.floor(width), top: Math.floor(top + window.scrollY) };
      setPlace((before) => (before.width === next.width && before.top === next.top ? before : next));
    };
    measure();
    const observer = new ResizeObserver(measure);
    // what stands above it moves it without changing its size
    for (let above: Element | null = element; above; above = above.parentElement) observer.observe(above);
    return () => observer.disconnect();
  }, []);
  return { ref, ...place };
}
