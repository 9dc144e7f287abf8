import { useEffect, useState } from 'react';
import type { LayoutAnswer, LayoutQuestion } from '../../graph/lay-out.ts';
import { placeTree } from '../../graph/place.ts';

/** A tree of so many boxes is laid out faster than a worker starts. */
const inlineLimit = 600;

/**
 * The layout of a drawing, or why there is none; neither until it is made. Large trees and layers are laid out in a worker, while the
 * former layout stays. The question must be the same object for as long as it is the same.
 */
export function useLayout(question: LayoutQuestion): LayoutAnswer {
  const { drawing, size, kind } = question;
  const inline = kind === 'tree' && drawing.boxes.length <= inlineLimit;
  const [answer, setAnswer] = useState<LayoutAnswer>(() => (inline ? { layout: placeTree(drawing, size) } : {}));
  useEffect(() => {
    if (inline) {
      setAnswer({ layout: placeTree(drawing, size) });
      return undefined;
    }
    // one for each question: a layout that nobody waits for any more ends with its worker
    const worker = new Worker(new URL('../../graph/layout-worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<LayoutAnswer>) => setAnswer(data);
    worker.onerror = ({ message }) => setAnswer({ problem: message || 'The layout could not be made' });
    worker.postMessage({ drawing, size, kind } satisfies LayoutQuestion);
    return () => worker.terminate();
  }, [drawing, size, kind, inline]);
  return answer;
}
