import { EditorView } from '@codemirror/view';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { readOnlyYaml } from './editor.ts';

/** A YAML text with line numbers and colours. */
export function YamlView({ text }: { text: string }) {
  const host = useRef<HTMLDivElement>(null);
  const dark = useComputedColorScheme('light') === 'dark';
  useEffect(() => {
    if (!host.current) return undefined;
    const view = new EditorView({
      doc: text,
      extensions: [readOnlyYaml(dark), EditorView.contentAttributes.of({ 'aria-label': 'YAML' })],
      parent: host.current,
    });
    return () => view.destroy();
  }, [text, dark]);
  return <div ref={host} className="panel" style={{ overflow: 'auto' }} />;
}
