import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorView } from '@codemirror/view';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { t } from '../../i18n/texts.ts';
import { readOnlyYaml } from './editor.ts';

interface DifferenceProps {
  live: string;
  desired: string;
  beside: boolean;
  /** Leaves unchanged lines out, but a few around each change. */
  compact: boolean;
}

/** Two texts, one beside the other or in one column. */
export function Difference({ live, desired, beside, compact }: DifferenceProps) {
  const host = useRef<HTMLDivElement>(null);
  const dark = useComputedColorScheme('light') === 'dark';
  useEffect(() => {
    const parent = host.current;
    if (!parent) return undefined;
    const extensions = readOnlyYaml(dark);
    const named = (label: string) => [...extensions, EditorView.contentAttributes.of({ 'aria-label': label })];
    const collapse = compact ? { collapseUnchanged: { margin: 3, minSize: 6 } } : {};
    const view = beside
      ? new MergeView({
          a: { doc: live, extensions: named(t('Before')) },
          b: { doc: desired, extensions: named(t('After')) },
          parent,
          ...collapse,
        })
      : new EditorView({
          doc: desired,
          parent,
          extensions: [
            ...named(t('Differences')),
            unifiedMergeView({ original: live, mergeControls: false, ...collapse }),
          ],
        });
    return () => view.destroy();
  }, [live, desired, beside, compact, dark]);
  return <div ref={host} />;
}
